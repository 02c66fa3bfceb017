"""One adapter a provider. Each imports its SDK, and nobody else does."""
