-- What was sold.
SELECT SUM(o.total)
FROM orders o
JOIN item i ON i.order_id = o.id;
