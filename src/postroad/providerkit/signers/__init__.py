"""Vendor signatures, one file each. Pure functions: time and nonce are given, nothing is read from a clock.

Each signs one attempt; a retry signs anew with a fresh time and nonce. Each is checked against values the vendor or
two independent clients published (`tests/providers/vectors/signers.json`).
"""

from postroad.providerkit.signers import acs3, aliyun_rpc, dingtalk, feishu, generic_hmac, huawei, tc3, twilio

__all__ = ["acs3", "aliyun_rpc", "dingtalk", "feishu", "generic_hmac", "huawei", "tc3", "twilio"]
