"""Where the conformance vectors come from: histories, capsules, and what a judge must find in them."""
