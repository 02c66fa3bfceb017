"""Where receipts are kept: a file outside the checkout, or a branch on the server."""
