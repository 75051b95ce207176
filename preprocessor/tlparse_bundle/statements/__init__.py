"""What the tables of a log mean: findings, the summary and the tables that are made from several others."""
