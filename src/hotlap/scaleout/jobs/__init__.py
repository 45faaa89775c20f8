"""Jobs on a cluster elsewhere: what is sent, what runs there, what comes back."""
