package mysql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
)

func (r *reader) relation(n ast.ResultSetNode) sqlast.Relation {
	at := sqlast.Pos(r.cursor)
	if !r.enter(at) {
		return nil
	}
	defer r.leave()
	switch n := n.(type) {
	case *ast.Join:
		if n.Right == nil {
			return r.relation(n.Left)
		}
		return r.join(n)
	case *ast.TableSource:
		switch source := n.Source.(type) {
		case *ast.TableName:
			return r.table(source, n.AsName.O)
		case *ast.SelectStmt, *ast.SetOprStmt:
			return r.derived(n)
		}
	}
	r.unsupported(at, "this entry of FROM")
	return nil
}

func (r *reader) join(j *ast.Join) sqlast.Relation {
	out := &sqlast.Join{Natural: j.NaturalJoin}
	switch j.Tp {
	case ast.LeftJoin:
		out.Kind = sqlast.LeftJoin
	case ast.RightJoin:
		out.Kind = sqlast.RightJoin
	}
	out.Left = r.relation(j.Left)
	out.Pos = sqlast.Pos(r.cursor)
	out.Right = r.relation(j.Right)
	if j.StraightJoin {
		r.fail(sqlast.Hint, r.keyword("STRAIGHT_JOIN", out.Pos), "STRAIGHT_JOIN", "STRAIGHT_JOIN is not allowed: write JOIN")
	}
	if j.On != nil {
		out.On = r.condition(j.On.Expr)
		// A join without a condition is printed with ON TRUE, because grammars
		// disagree about which join a later condition belongs to.
		if b, ok := out.On.(*sqlast.Bool); ok && b.Value && out.Kind == sqlast.InnerJoin {
			out.On = nil
		}
	}
	out.Using = lists.Map(j.Using, func(c *ast.ColumnName) string {
		if c.Table.O != "" {
			r.unsupported(out.Pos, "a qualified name in USING")
		}
		return r.name(c.Name, out.Pos)
	})
	return out
}

func (r *reader) table(t *ast.TableName, alias string) sqlast.Relation {
	at := r.find(t.Name.O)
	construct := ""
	switch {
	case t.Schema.O == "*":
		construct = "*.table"
	case len(t.IndexHints) > 0:
		r.fail(sqlast.Hint, at, t.Name.O, "index hints are not allowed: leave them out")
	case len(t.PartitionNames) > 0:
		construct = "PARTITION"
	case t.AsOf != nil:
		construct = "AS OF"
	case t.TableSample != nil:
		construct = "TABLESAMPLE"
	}
	if construct != "" {
		r.unsupported(at, construct)
	}
	return &sqlast.Table{Pos: at, Schema: t.Schema.O, Name: r.name(t.Name, at), Alias: alias}
}

func (r *reader) derived(t *ast.TableSource) sqlast.Relation {
	at := sqlast.Pos(r.cursor)
	return &sqlast.Derived{
		Pos:     at,
		Query:   r.query(t.Source, headers),
		Alias:   t.AsName.O,
		Columns: r.names(t.ColumnNames, at),
		Lateral: t.Lateral,
	}
}

// find returns the offset of the name of the next table or common table
// expression. The grammar does not keep it.
func (r *reader) find(name string) sqlast.Pos {
	for from := r.cursor; name != ""; {
		i := strings.Index(r.src[from:], name)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !ascii.IsWordByte(r.src[start-1])) && (end == len(r.src) || !ascii.IsWordByte(r.src[end])) {
			r.cursor = end
			return sqlast.Pos(start)
		}
		from = end
	}
	return sqlast.Pos(r.cursor)
}
