"""Arms where one degree of freedom moves several axes."""
