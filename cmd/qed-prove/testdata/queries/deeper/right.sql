SELECT SUM(total) FROM orders
