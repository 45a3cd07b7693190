"""What a send leaves on disk: its folder, the frozen configuration in it, and the index of all sends."""
