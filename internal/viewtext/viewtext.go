// Package viewtext finds what views and computed columns read by their text, for the engines
// of package sqldb whose catalogues do not say it.
package viewtext

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/joinpath"
)

// SetReads sets the Reads of the views in schema to the tables and views that their text
// mentions anywhere, in any letter case: in a name, in a string or in a comment. That is
// never less than what they read. It adds to their Uses as [AddUses] does.
//
// Outside has the texts of the views of other schemas, by schema and name, which a view may
// read too. An empty text means that it is not known. The Reads of a view that mentions it stay
// nil.
func SetReads(schema *joinpath.Schema, texts map[string]string, outside map[[2]string]string) {
	named := map[string][]string{} // tables by their names in lower case
	for table, t := range schema.Tables {
		name := strings.ToLower(table)
		if t.Schema != "" {
			name = name[len(strings.ToLower(t.Schema))+1:] // a view of its schema reads it without
		}
		named[name] = append(named[name], table)
	}
	views := map[[2]string]said{}
	for name, text := range outside {
		views[name] = read(text)
	}
	for view, text := range texts {
		t, ok := schema.Tables[view]
		s := read(text)
		if !ok || !s.follow(views) {
			continue
		}
		t.Reads = []string{}
		for name, tables := range named {
			if s.mentions(name) {
				t.Reads = append(t.Reads, tables...)
			}
		}
		t.Reads = slices.DeleteFunc(t.Reads, func(table string) bool { return table == view })
		slices.Sort(t.Reads)
		schema.Tables[view] = t
		AddUses(schema, view, "", s.text, t.Reads)
	}
}

// everyColumn matches the * of columns, not that of count(*) or of a product.
var everyColumn = regexp.MustCompile(`(\bselect|\bdistinct|\ball|[,.])\s*\*`)

// AddUses sets in the Uses of a table or view those of the tables in reads: the columns that
// the text of its column by mentions, or that of the view if by is empty. A view shows columns
// that have its columns' names. An empty text changes nothing.
func AddUses(schema *joinpath.Schema, table, by, text string, reads []string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t, s := schema.Tables[table], read(text)
	all := everyColumn.MatchString(s.text)
	t.Uses = slices.DeleteFunc(t.Uses, func(u joinpath.Use) bool { return by == "" && u.By == "" && slices.Contains(reads, u.Table) })
	for _, from := range reads {
		read, known := schema.Tables[from]
		if !known { // any word may be one of its columns
			read.Columns = slices.Sorted(maps.Keys(s.words))
		}
		for _, column := range read.Columns {
			same := func(c string) bool { return ascii.EqualFold(c, column) }
			if column != by && (by != "" || !slices.ContainsFunc(t.Columns, same)) && (all || s.mentions(strings.ToLower(column))) {
				t.Uses = append(t.Uses, joinpath.Use{By: by, Table: from, Column: column})
			}
		}
	}
	schema.Tables[table] = t
}

// A said is a text and its words, in lower case.
type said struct {
	text  string
	words map[string]bool
}

func read(text string) said {
	s := said{strings.ToLower(text), map[string]bool{}}
	for word := range strings.FieldsFuncSeq(s.text, separates) {
		s.words[word] = true
	}
	return s
}

// mentions reports whether the text may have a name.
func (s *said) mentions(name string) bool {
	if strings.IndexFunc(name, separates) < 0 {
		return s.words[name]
	}
	return strings.ContainsAny(name, "\"`'\\") || strings.Contains(s.text, name) // a quote may be doubled
}

// follow adds to a text those of the views that it mentions. It returns false if one of them
// is not known.
func (s *said) follow(views map[[2]string]said) (known bool) {
	seen := map[[2]string]bool{}
	for again := true; again; {
		again = false
		for name, view := range views {
			if seen[name] || !s.mentions(strings.ToLower(name[0])) || !s.mentions(strings.ToLower(name[1])) {
				continue
			}
			if view.text == "" {
				return false
			}
			seen[name], again = true, true
			s.text += "\n" + view.text
			maps.Copy(s.words, view.words)
		}
	}
	return true
}

// separates reports whether r is no part of a word.
func separates(r rune) bool {
	return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
