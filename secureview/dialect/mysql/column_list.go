package mysql

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// columnList is the list of columns of a derived table: (SELECT ..) AS alias (columns).
// The grammar reads it only after LATERAL.
type columnList struct {
	alias    string
	columns  []string
	from, to int // offsets of its parentheses
	used     bool
}

// columnLists returns what looks like the column lists of derived tables. The reader
// refuses the statement if one of them is something else.
func columnLists(src string) []columnList {
	var lists []columnList
	var prev [3]token // the last one first
	scan := scanner{src: src}
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		if isMark(src, t, '(') && isWord(src, prev[1], "AS") && isMark(src, prev[2], ')') {
			l := columnList{from: t.at}
			ahead, ok := scan, false
			if l.alias, ok = bareName(src, prev[0]); ok && l.scan(&ahead) {
				lists = append(lists, l)
				scan = ahead
			}
		}
		prev = [3]token{t, prev[0], prev[1]}
	}
	return lists
}

// scan reads the list after its opening parenthesis. It returns false if that is
// not a list of names.
func (l *columnList) scan(scan *scanner) bool {
	for {
		name, ok := bareName(scan.src, scan.next())
		if !ok {
			return false
		}
		l.columns = append(l.columns, name)
		switch t := scan.next(); {
		case isMark(scan.src, t, ')'):
			l.to = t.end
			return true
		case !isMark(scan.src, t, ','):
			return false
		}
	}
}

// bareName returns the name of a token. It has no backtick.
func bareName(src string, t token) (string, bool) {
	switch text := src[t.at:t.end]; {
	case t.kind == word && !ascii.IsDigit(text[0]):
		return text, true
	case t.kind == quoted && text[0] == '`' && len(text) > 2 && text[len(text)-1] == '`':
		return text[1 : len(text)-1], true
	}
	return "", false
}

func isMark(src string, t token, sign byte) bool { return t.kind == mark && src[t.at] == sign }

// takeList gives a derived table its list.
func (r *reader) takeList(d *sqlast.Derived) {
	given := false
	for i := range r.lists {
		l := &r.lists[i]
		if l.alias != d.Alias {
			continue
		}
		if l.used || given {
			r.unsupported(d.Pos, "a column list of one of two derived tables with the same alias")
			return
		}
		l.used, given = true, true
		if d.Columns = l.columns; r.err == nil && nameItems(d.Query, l.columns) {
			d.Columns = nil
		}
	}
}

// nameItems makes the names of a list the aliases of a query's columns, which MariaDB
// reads too. It returns false if the query could use the aliases that it has.
func nameItems(q *sqlast.Query, names []string) bool {
	s, ok := q.Body.(*sqlast.Select)
	isStar := func(it sqlast.Item) bool { _, star := it.Expr.(*sqlast.Star); return star }
	if !ok || q.OrderBy != nil || s.GroupBy != nil || s.Having != nil ||
		len(s.Items) != len(names) || slices.ContainsFunc(s.Items, isStar) {
		return false
	}
	for i, name := range names {
		s.Items[i].Alias = name
	}
	return true
}

// allListsUsed refuses a statement with a list that is not one of a derived table.
func (r *reader) allListsUsed() {
	for _, l := range r.lists {
		if !l.used {
			r.fail(sqlast.Syntax, sqlast.Pos(l.from), "", "syntax error: only a derived table and a CTE have a list of columns")
		}
	}
}
