"""World files: read, checked, resolved."""
