-- name: values
SELECT code, value FROM codes WHERE code IN (SELECT wanted.value::integer FROM json_array_elements_text(?::json) AS wanted(value))
