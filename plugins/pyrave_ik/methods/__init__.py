"""How loops are solved: methods by cited names, and which serves an arm (`table`)."""
