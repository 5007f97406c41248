package mysql

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/sqlast"
)

// Reread reads what [Dialect.Append] printed with github.com/xwb1989/sqlparser:
// the tables that its grammar finds. The grammar knows no WITH and no window; a
// statement that it does not read is read by its tokens, which name the tables
// after FROM, JOIN and the commas between. So no statement goes without a second
// reading.
func (Dialect) Reread(printed string, want []dialect.TableName) error {
	found, ok := grammarTables(printed)
	if !ok {
		found, ok = tokenTables(printed)
	}
	if !ok {
		return &sqlast.Error{Code: sqlast.ParserMismatch, Pos: -1,
			Message: "the second reader does not understand the printed statement"}
	}
	return compare(found, want)
}

func compare(found, want []dialect.TableName) error {
	for _, t := range found {
		if !slices.Contains(want, t) {
			return disagree(t, "the second reader finds the table "+t.String()+", the first does not")
		}
	}
	for _, t := range want {
		if !slices.Contains(found, t) {
			return disagree(t, "the second reader does not find the table "+t.String())
		}
	}
	return nil
}

func disagree(t dialect.TableName, message string) error {
	return &sqlast.Error{Code: sqlast.ParserMismatch, Name: t.String(), Pos: -1, Message: message}
}

var dual = sqlparser.TableName{Name: sqlparser.NewTableIdent("dual")}

// grammarTables answers the tables that the second reader's grammar finds; false
// where it does not read the statement.
func grammarTables(printed string) (found []dialect.TableName, ok bool) {
	defer func() {
		if recover() != nil {
			found, ok = nil, false
		}
	}()
	s, err := sqlparser.Parse(printed)
	if err != nil {
		return nil, false
	}
	var visit sqlparser.Visit
	visit = func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedTableExpr:
			// Where there is no FROM, the grammar makes up a table. Every table that
			// is printed has a schema, and a statement with other names a WITH.
			if name, ok := n.Expr.(sqlparser.TableName); ok && name != dual {
				found = addTable(found, name.Qualifier.String(), name.Name.String())
			}
		case *sqlparser.ColName, *sqlparser.SQLVal:
			return false, nil // no table in them
		case *sqlparser.Union:
			return true, sqlparser.Walk(visit, n.OrderBy) // Walk itself leaves it out
		}
		return true, nil
	}
	if err := sqlparser.Walk(visit, s); err != nil {
		return nil, false
	}
	return found, true
}

func addTable(list []dialect.TableName, schema, name string) []dialect.TableName {
	t := dialect.TableName{Schema: schema, Name: name}
	if slices.Contains(list, t) {
		return list
	}
	return append(list, t)
}
