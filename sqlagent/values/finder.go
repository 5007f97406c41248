package values

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/secureview"
)

const mostFound = 50 // entities, as many as a Catalog uses

// A Lookup is a table of entities.
type Lookup struct {
	// Kind is the kind of the entities, such as "customer".
	Kind string

	// Table and Name are the table and the column with the names, as the policy
	// names them.
	Table string
	Name  string

	// ID is the column with the identifiers. It may be empty.
	ID string

	// Attributes are columns that distinguish entities of the same name.
	Attributes []string
}

// NewTableFinder returns a finder that looks up entities in tables of a database, for
// [resolve.CatalogOptions.Finder]: catalogs that are too large for memory. Every
// statement passes the guard and runs with the context of the call, so that a caller
// finds what the database shows to that caller.
//
// Find sends at most three statements for each table, of at most 50 rows each, and
// stops when one has found something:
//
//   - the name is the term
//   - the name begins like the term
//   - the name has the beginnings of the words of the term
//
// The first uses an index of the column. The others compare in lower case and may
// read the whole table: set a time limit in the options of the database. A typing
// error in the first three letters of all words is not found.
//
// Letters with accents, signs and quotes in a term match any character, and ae, oe and
// ue match umlauts too. No part of a term can act as a pattern.
func NewTableFinder(db Database, guard *secureview.Guard, lookups ...Lookup) (resolve.Finder, error) {
	if db == nil || guard == nil || len(lookups) == 0 {
		return nil, errors.New("values: NewTableFinder needs a database, a guard and a lookup")
	}
	var known []string
	for _, t := range guard.Tables() {
		for _, column := range t.Columns {
			known = append(known, guard.NameOf(t.TableName)+"."+column)
		}
	}
	for i, l := range lookups {
		if l.Name == "" || l.Table == "" {
			return nil, fmt.Errorf("values: lookup %d needs a table and a column with the names", i+1)
		}
		for _, column := range l.columns() {
			name := l.Table + "." + column
			if !slices.ContainsFunc(known, func(k string) bool { return ascii.EqualFold(k, name) }) {
				return nil, option.UnknownName(fmt.Sprintf("values: lookup %d: the policy has no column %q", i+1, name), name, known)
			}
		}
	}
	return &tableFinder{db, guard, slices.Clone(lookups)}, nil
}

func (l *Lookup) columns() []string {
	all := []string{l.Name}
	if l.ID != "" {
		all = append(all, l.ID)
	}
	return append(all, l.Attributes...)
}

type tableFinder struct {
	db      Database
	guard   *secureview.Guard
	lookups []Lookup
}

// Find implements resolve.Finder.
func (f *tableFinder) Find(ctx context.Context, term, kind string) ([]resolve.Entity, error) {
	key := textmatch.Fold(kind)
	is := func(l Lookup) bool { return textmatch.Fold(l.Kind) == key }
	known := key != "" && slices.ContainsFunc(f.lookups, is)
	var out []resolve.Entity
	for _, l := range f.lookups {
		if known && !is(l) {
			continue
		}
		for _, condition := range conditions("t."+f.guard.Dialect().Quote(l.Name), term) {
			found, err := f.query(ctx, &l, condition)
			if err != nil {
				return nil, fmt.Errorf("values: the table %q: %w", l.Table, err)
			}
			out = append(out, found...)
			if len(found) > 0 {
				break
			}
		}
	}
	return out, nil
}

// conditions returns the conditions on a column that a term is looked up with, the
// narrowest first.
func conditions(column, term string) []string {
	term = strings.TrimSpace(term)
	var out []string
	if !strings.ContainsFunc(term, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		out = append(out, column+" = '"+strings.ReplaceAll(term, "'", "''")+"'")
	}
	like := func(pattern string) string { return "LOWER(" + column + ") LIKE '" + pattern + "'" }
	var all []string
	for _, w := range strings.FieldsFunc(term, func(r rune) bool { return !textmatch.InWord(r) }) {
		if len(all) < maxPhrase && !weakWords[strings.ToLower(w)] {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return out
	}
	if whole := pattern(term, 2); letters(whole) >= leastLetters {
		out = append(out, like(whole+"%"))
	}
	var begun []string
	for _, w := range all {
		if p := pattern(beginning(w), 1); letters(p) > 0 {
			begun = append(begun, like("%"+p+"%"))
		}
	}
	if len(begun) > 0 {
		out = append(out, strings.Join(begun, " AND "))
	}
	return out
}

// leastLetters is how many letters a pattern needs to be looked up: a pattern of
// wildcards matches every name.
const leastLetters = 2

// beginning returns the part of a word that a typing error hardly changes.
func beginning(w string) string {
	runes := []rune(w)
	if len(runes) <= minFuzzy {
		return w
	}
	return string(runes[:max(3, len(runes)/2)])
}

// pattern returns a pattern that matches a text in lower case. It has letters, digits,
// spaces and wildcards of its own alone, so it needs no escape in any dialect. Letters
// with accents of the Latin script become _, and so does every sign. The pairs ae, oe
// and ue, which people write for umlauts, become %. The pattern ends before it would
// have more than most of them, because DuckDB takes few in a pattern.
func pattern(s string, most int) string {
	var b strings.Builder
	s = strings.ToLower(s)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case len(s) > 1 && s[1] == 'e' && (r == 'a' || r == 'o' || r == 'u'):
			if most--; most < 0 {
				return b.String()
			}
			// % matches ü and the two letters of Miguel.
			b.WriteByte('%')
			n = 2
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' '),
			r >= utf8.RuneSelf && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r):
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
		s = s[n:]
	}
	return b.String()
}

// letters returns how many characters of a pattern are not wildcards.
func letters(pattern string) int {
	return strings.Count(pattern, "") - 1 - strings.Count(pattern, "_") - strings.Count(pattern, "%") - strings.Count(pattern, " ")
}

func (f *tableFinder) query(ctx context.Context, l *Lookup, condition string) ([]resolve.Entity, error) {
	quote := f.guard.Dialect().Quote
	columns := l.columns()
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = "t." + quote(c) + " AS c" + strconv.Itoa(i)
	}
	stmt, err := f.guard.Rewrite(ctx, "SELECT "+strings.Join(items, ", ")+" FROM "+f.guard.Identifier(l.Table)+" AS t WHERE "+
		condition+" LIMIT "+strconv.Itoa(mostFound))
	if err != nil {
		return nil, err
	}
	table, err := f.db.Query(ctx, stmt)
	if err != nil {
		return nil, err
	}
	if table == nil || len(table.Columns) != len(columns) {
		return nil, errors.New("the database did not return the columns")
	}
	var out []resolve.Entity
	for _, row := range table.Rows {
		e := resolve.Entity{Kind: l.Kind, Name: text(row[0])}
		rest := row[1:]
		if l.ID != "" {
			e.ID, rest = text(rest[0]), rest[1:]
		}
		for i, cell := range rest {
			if v := text(cell); v != "" {
				if e.Attributes == nil {
					e.Attributes = map[string]string{}
				}
				e.Attributes[l.Attributes[i]] = v
			}
		}
		out = append(out, e)
	}
	return out, nil
}

func text(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(cell)
}
