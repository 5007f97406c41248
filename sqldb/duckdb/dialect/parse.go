package dialect

import (
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// Read parses one SELECT, VALUES, FROM or WITH .. SELECT. For any text it returns a
// tree or a [*sqlast.Error].
func (Dialect) Read(text string) (*sqlast.Query, error) {
	if err := sqlast.CheckText(text); err != nil {
		return nil, err
	}
	if err := checkCopies(text); err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, sqlread.NotOne(0, -1)
	}
	out, err := serialize(text)
	if err != nil {
		return nil, err
	}
	root, err := parse(out)
	if err != nil {
		return nil, &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: "the statement has a number or a name without a value: " +
			"write numbers that a DOUBLE can hold"}
	}
	statements := root.field("statements").items()
	switch {
	case root.field("error").kind() != 'f':
		return nil, refused(text, root)
	case len(statements) == 0:
		return nil, sqlread.NotOne(0, -1)
	case len(statements) > 1:
		return nil, sqlread.NotOne(len(statements), -1)
	}
	r := reader{}
	q := r.query(r.object(statements[0], "node"))
	if r.take(statements[0], "named_param_map"); r.err != nil {
		return nil, r.err
	}
	if r.done(statements[0]); r.err != nil {
		return nil, r.err
	}
	return q, nil
}

// refused returns the error of a text that DuckDB did not serialize.
func refused(text string, root object) error {
	message := root.field("error_message").string()
	at := -1
	if n, err := strconv.Atoi(root.field("position").string()); err == nil && n <= len(text) {
		at = n
	}
	if root.field("error_type").string() == "parser" {
		return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(at), Message: sqlast.Clip(message)}
	}
	t, word := sqlread.FirstToken(text), ""
	if t.Kind == sqlread.Word {
		word = sqlast.Clip(strings.ToUpper(text[t.At:t.End]))
	}
	switch word {
	case "SELECT", "WITH", "FROM", "VALUES", "":
		if strings.Contains(message, "Only SELECT") {
			return &sqlast.Error{Code: sqlast.MultipleQueries, Pos: -1,
				Message: "there is a statement that is no SELECT: write one SELECT. PIVOT is not supported"}
		}
		return &sqlast.Error{Code: sqlast.Unsupported, Pos: sqlast.Pos(at), Message: sqlast.Clip(message)}
	case "PIVOT", "PIVOT_WIDER":
		return &sqlast.Error{Code: sqlast.Unsupported, Name: word, Pos: sqlast.Pos(t.At), Message: pivotRemedy}
	default:
		return sqlread.NotSelect(word, t.At)
	}
}

const pivotRemedy = "PIVOT is not supported: write one aggregate with FILTER (WHERE ..) for each column"
