package mysql

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// Reread parses what [Dialect.Append] printed with github.com/xwb1989/sqlparser and
// compares the tables that it finds. That grammar has no WITH and no windows. For
// a statement that it does not parse, Reread finds the tables by its tokens: after
// FROM, JOIN and the commas between them. So every statement is parsed twice.
func (Dialect) Reread(printed string, want []dialect.TableName) error {
	found, ok := grammarTables(printed)
	if !ok {
		found, ok = tokenTables(printed)
	}
	if !ok {
		return &sqlast.Error{Code: sqlast.ParserMismatch, Pos: -1,
			Message: "the second parser does not parse the printed statement"}
	}
	return compare(found, want)
}

func compare(found, want []dialect.TableName) error {
	for _, t := range found {
		if !slices.Contains(want, t) {
			return disagree(t, "the second parser finds the table "+t.String()+", the first one does not")
		}
	}
	for _, t := range want {
		if !slices.Contains(found, t) {
			return disagree(t, "the second parser does not find the table "+t.String())
		}
	}
	return nil
}

func disagree(t dialect.TableName, message string) error {
	return &sqlast.Error{Code: sqlast.ParserMismatch, Name: t.String(), Pos: -1, Message: message}
}

var dual = sqlparser.TableName{Name: sqlparser.NewTableIdent("dual")}

// grammarTables returns the tables that the second parser's grammar finds, and
// false if it does not parse the statement.
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
			// Without a FROM, the grammar adds this table. Every printed table has a
			// schema, and a statement with other names has a WITH.
			if name, ok := n.Expr.(sqlparser.TableName); ok && name != dual {
				found = addTable(found, name.Qualifier.String(), name.Name.String())
			}
		case *sqlparser.ColName, *sqlparser.SQLVal:
			return false, nil // has no tables
		case *sqlparser.Union:
			return true, sqlparser.Walk(visit, n.OrderBy) // Walk does not visit it
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
