package dialect

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// parser is the database in memory that parses statements.
var parser = sync.OnceValues(func() (*sql.Stmt, error) {
	c, err := duckdb.NewConnector("?threads=1&memory_limit=512MB&enable_external_access=false&"+
		"autoinstall_known_extensions=false&autoload_known_extensions=false&lock_configuration=true", nil)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c).Prepare(
		"SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_default := true)::VARCHAR")
})

// serialized is what json_serialize_sql returns.
type serialized struct {
	Error      bool   `json:"error"`
	Type       string `json:"error_type"`
	Message    string `json:"error_message"`
	Subtype    string `json:"error_subtype"`
	Position   string `json:"position"`
	Statements []struct {
		Node object `json:"node"`
	} `json:"statements"`
}

var lexis = sqlast.Lexis{Quotes: `'"`, Backslash: ""}

// Read parses one SELECT, VALUES, FROM or WITH .. SELECT. For any text it returns a
// tree or a [*sqlast.Error].
func (Dialect) Read(text string) (*sqlast.Query, error) {
	if err := sqlast.CheckText(text, &lexis); err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, noStatement()
	}
	stmt, err := parser()
	if err != nil {
		return nil, fmt.Errorf("duckdb: the database that parses statements cannot be opened: %w", err)
	}
	var out sql.RawBytes
	rows, err := stmt.QueryContext(context.Background(), text)
	if err != nil {
		return nil, notParsed(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, notParsed(rows.Err())
	}
	if err := rows.Scan(&out); err != nil {
		return nil, notParsed(err)
	}
	var tree serialized
	decoder := json.NewDecoder(bytes.NewReader(out))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: "the statement has a number or a name without a value: " +
			"write numbers that a DOUBLE can hold"}
	}
	switch {
	case tree.Error:
		return nil, refused(text, &tree)
	case len(tree.Statements) == 0:
		return nil, noStatement()
	case len(tree.Statements) > 1:
		return nil, &sqlast.Error{Code: sqlast.MultipleQueries, Pos: -1,
			Message: fmt.Sprintf("there are %d statements; write one", len(tree.Statements))}
	}
	r := reader{}
	q := r.query(tree.Statements[0].Node)
	if r.err != nil {
		return nil, r.err
	}
	return q, nil
}

func noStatement() error {
	return &sqlast.Error{Code: sqlast.MultipleQueries, Pos: -1, Message: "there is no statement"}
}

func notParsed(err error) error {
	message := "DuckDB cannot parse the statement"
	if err != nil {
		message += ": " + sqlast.Clip(err.Error())
	}
	return &sqlast.Error{Code: sqlast.Syntax, Pos: -1, Message: message}
}

// refused returns the error of a text that DuckDB did not serialize.
func refused(text string, tree *serialized) error {
	at := -1
	if n, err := strconv.Atoi(tree.Position); err == nil && n <= len(text) {
		at = n
	}
	if tree.Type == "parser" {
		return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(at), Message: sqlast.Clip(tree.Message)}
	}
	start := nextToken(text)
	switch word := firstWord(text[start:]); word {
	case "SELECT", "WITH", "FROM", "VALUES", "":
		if strings.Contains(tree.Message, "Only SELECT") {
			return &sqlast.Error{Code: sqlast.MultipleQueries, Pos: -1,
				Message: "there is a statement that is no SELECT: write one SELECT. PIVOT is not supported"}
		}
		return &sqlast.Error{Code: sqlast.Unsupported, Pos: sqlast.Pos(at), Message: sqlast.Clip(tree.Message)}
	case "PIVOT", "PIVOT_WIDER":
		return &sqlast.Error{Code: sqlast.Unsupported, Name: word, Pos: sqlast.Pos(start), Message: pivotRemedy}
	default:
		return sqlread.NotSelect(word, start)
	}
}

const pivotRemedy = "PIVOT is not supported: write one aggregate with FILTER (WHERE ..) for each column"

func firstWord(text string) string {
	n := 0
	for n < len(text) && ('a' <= ascii.LowerByte(text[n]) && ascii.LowerByte(text[n]) <= 'z' || text[n] == '_') {
		n++
	}
	return sqlast.Clip(strings.ToUpper(text[:n]))
}

// nextToken returns the offset of the first token, after white space, comments,
// parentheses and semicolons.
func nextToken(text string) int {
	i := 0
	past := func(from int, end string) int {
		if n := strings.Index(text[from:], end); n >= 0 {
			return from + n + len(end)
		}
		return len(text)
	}
	for i < len(text) {
		switch {
		case ascii.IsSpace(text[i]), text[i] == '(', text[i] == ';':
			i++
		case strings.HasPrefix(text[i:], "--"):
			i = past(i+2, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = past(i+2, "*/")
		default:
			return i
		}
	}
	return i
}
