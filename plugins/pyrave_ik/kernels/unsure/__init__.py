"""No treatment of singular poses."""
