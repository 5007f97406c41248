package sqlite

import (
	"strings"

	"github.com/sqlc-dev/meyer/ast"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// from nests a FROM list to the left. SQLite treats commas and joins in the same
// way, in their order.
func (r *reader) from(list []*ast.TableRef) sqlast.Relation {
	if len(list) > sqlast.MaxDepth {
		r.err = sqlread.TooDeep(sqlast.Pos(list[sqlast.MaxDepth].Pos()))
		return nil
	}
	first := list[0]
	if first.On != nil || first.Using != nil {
		r.fail(sqlast.Syntax, first.Pos(), "ON", "ON and USING need a JOIN before them")
	}
	left := r.source(first)
	for _, t := range list[1:] {
		left = r.join(left, t)
	}
	return left
}

func (r *reader) join(left sqlast.Relation, t *ast.TableRef) *sqlast.Join {
	kind, natural := r.joinKind(t.Join)
	if natural && (t.On != nil || t.Using != nil) {
		r.fail(sqlast.Syntax, t.Join.Pos(), "NATURAL JOIN", "a NATURAL JOIN takes no ON or USING")
	}
	if t.HasArgs && (kind == sqlast.RightJoin || kind == sqlast.FullJoin) {
		r.unsupported(t.Join.Pos(), "a function after RIGHT or FULL JOIN")
	}
	return &sqlast.Join{
		Pos:     pos(t.Join),
		Kind:    kind,
		Natural: natural,
		Left:    left,
		Right:   r.source(t),
		On:      r.optional(t.On),
		Using:   lists.Map(t.Using, r.name),
	}
}

// joinKind reads the words before JOIN. The grammar accepts any words. SQLite
// refuses unknown ones, OUTER alone, and INNER or CROSS together with LEFT, RIGHT
// or FULL.
func (r *reader) joinKind(op *ast.JoinOperator) (kind sqlast.JoinKind, natural bool) {
	var inner, left, right, outer bool
	for _, word := range op.Words {
		switch strings.ToUpper(word) {
		case "JOIN":
		case "NATURAL":
			natural = true
		case "INNER", "CROSS":
			inner = true
		case "LEFT":
			left = true
		case "RIGHT":
			right = true
		case "FULL":
			left, right = true, true
		case "OUTER":
			outer = true
		default:
			r.fail(sqlast.Syntax, op.Pos(), word, "unknown kind of JOIN: "+sqlast.Clip(word))
		}
	}
	if (inner || !left && !right) && (outer || left || right) {
		r.fail(sqlast.Syntax, op.Pos(), "JOIN", "unknown kind of JOIN: "+sqlast.Clip(strings.Join(op.Words, " ")))
	}
	switch {
	case left && right:
		return sqlast.FullJoin, natural
	case left:
		return sqlast.LeftJoin, natural
	case right:
		return sqlast.RightJoin, natural
	}
	return sqlast.InnerJoin, natural
}

// source reads one item of a FROM list without the join before it.
func (r *reader) source(t *ast.TableRef) sqlast.Relation {
	alias := ""
	if t.Alias != nil {
		alias = r.name(t.Alias)
	}
	switch {
	case t.IndexedBy != nil, t.NotIndexed:
		r.fail(sqlast.Hint, t.Name.Pos(), "INDEXED BY", "INDEXED BY and NOT INDEXED are hints; leave them out")
		return nil
	case t.HasArgs:
		return r.tableFunction(t, alias)
	case t.Select != nil:
		return &sqlast.Derived{Pos: pos(t.Select), Query: r.query(t.Select, columns), Alias: alias}
	case t.List != nil:
		return r.parenthesized(t, alias)
	}
	return r.table(t.Name, alias)
}

func (r *reader) table(n *ast.QualifiedName, alias string) *sqlast.Table {
	t := &sqlast.Table{Pos: pos(n), Name: r.name(n.Name), Alias: alias}
	if n.Schema != nil {
		t.Schema = r.name(n.Schema)
	}
	return t
}

// jsonColumns are the columns of json_each and json_tree.
var jsonColumns = []string{"key", "value", "type", "atom", "id", "parent", "fullkey", "path"}

func (r *reader) tableFunction(t *ast.TableRef, alias string) sqlast.Relation {
	name := r.function(t.Name.Name)
	if t.Name.Schema != nil || name != "json_each" && name != "json_tree" {
		r.fail(sqlast.Function, t.Name.Pos(), name, "the table-valued function "+sqlast.Clip(name)+"() is not allowed: "+
			"only json_each(x) and json_tree(x) are")
		return nil
	}
	call := &sqlast.Call{Pos: pos(t.Name), Name: name, Args: r.exprs(t.Args)}
	return &sqlast.TableFunction{Pos: call.Pos, Calls: []*sqlast.Call{call}, Alias: alias, Own: jsonColumns}
}

// parenthesized reads (a JOIN b) and (a). In SQLite an alias after the parentheses
// around a single table is the alias of the table.
func (r *reader) parenthesized(t *ast.TableRef, alias string) sqlast.Relation {
	inner := r.from(t.List)
	if alias == "" {
		return inner
	}
	switch inner := inner.(type) {
	case *sqlast.Table:
		inner.Alias = alias
	case *sqlast.Derived:
		inner.Alias = alias
	default:
		r.unsupported(t.Alias.Pos(), "an alias of a JOIN in parentheses")
	}
	return inner
}
