"""How a send ends: shards folded into one account, results exported, summary and receipt written.

    ended.json   the fold of all shards: state, reason, counts. Written once; from here on nothing is sent
    results      exported from the journals; their counts must equal the fold's, or nothing is reported as an end
    summary.json
    receipt.json signed; its presence says that all the rest is there

Every step makes the same files from the same folder, so a process killed between any two lines is finished by the next.
"""
