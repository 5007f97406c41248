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
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
)

// SetReads sets the Reads of the views in schema to the tables and views that their text
// mentions anywhere, in any letter case: in a name, in a string or in a comment. That is
// never less than what they read. It adds to their Uses as [AddUses] does.
//
// Outside has the texts of the views of other schemas, by schema and name, which a view may
// read too. An empty text means that it is not known. Calls reports whether a text, in lower
// case, calls a function that may read anything. The Reads of a view with such texts stay nil.
func SetReads(schema *joinpath.Schema, texts map[string]string, outside map[[2]string]string, calls func(string) bool) {
	named := map[string][]string{} // tables by their names in lower case
	for table, t := range schema.Tables {
		name := strings.ToLower(table)
		if t.Schema != "" {
			name = name[len(strings.ToLower(t.Schema))+1:] // a view of its schema reads it without
		}
		named[name] = append(named[name], table)
	}
	odd := lists.Filter(slices.Collect(maps.Keys(named)), func(name string) bool { return !isWord(name) })
	views := map[[2]string]said{}
	for name, text := range outside {
		views[name] = read(text)
	}
	for view, text := range texts {
		t, ok := schema.Tables[view]
		s := read(text)
		if !ok {
			continue
		}
		known, reads := s.follow(views), []string{}
		for word := range s.words {
			reads = append(reads, named[word]...)
		}
		for _, name := range odd {
			if s.mentions(name) {
				reads = append(reads, named[name]...)
			}
		}
		reads = slices.DeleteFunc(reads, func(table string) bool { return table == view })
		slices.Sort(reads)
		if known && !calls(s.text) {
			t.Reads = reads
			schema.Tables[view] = t
		}
		AddUses(schema, view, "", s.text, reads)
	}
}

// everyColumn matches the * of columns, not that of a product.
var everyColumn = regexp.MustCompile(`(\bselect|\bdistinct|\ball|[,.(])\s*\*|\bcolumns\s*\(|\)\s*\*\s*([,;)]|$|from\b|exclude\b|replace\b|rename\b)`)

// noStar matches what has no * of columns: comments, and with a group quoted texts and count(*).
var noStar = regexp.MustCompile("(?s)--[^\n]*|/\\*.*?(?:\\*/|$)|(')[^']*'|(\")[^\"]*\"|(`)[^`]*`|(\\[)[^]]*]|(\\bc)ount\\s*\\(\\s*\\*")

// AddUses sets in the Uses of a table or view those of the tables in reads: the columns that
// the text of its column by mentions, or that of the view if by is empty. A view shows columns
// that have its columns' names, but may compute others of any. An empty text changes nothing.
func AddUses(schema *joinpath.Schema, table, by, text string, reads []string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t, s := schema.Tables[table], read(text)
	all := everyColumn.MatchString(noStar.ReplaceAllString(s.text, "$1$2$3$4$5 "))
	t.Uses = slices.DeleteFunc(t.Uses, func(u joinpath.Use) bool { return by == "" && u.By == "" && slices.Contains(reads, u.Table) })
	// PostgreSQL, which has views of unknown tables, writes AS before the name of what it computes.
	inTables, allKnown := map[string]bool{}, true
	for _, from := range reads {
		source, known := schema.Tables[from]
		maps.Copy(inTables, lists.Set(source.Columns, ascii.Lower))
		allKnown = allKnown && known
	}
	shown := lists.Set(t.Columns, ascii.Lower)
	computes := by == "" && slices.ContainsFunc(slices.Collect(maps.Keys(shown)), func(c string) bool {
		return !inTables[c] && (allKnown || strings.Contains(s.text, " as "+c) || strings.Contains(s.text, ` as "`+c))
	})
	for _, from := range reads {
		source, known := schema.Tables[from]
		if !known { // any word may be one of its columns
			source.Columns = slices.Sorted(maps.Keys(s.words))
		}
		for _, column := range source.Columns {
			named := column == by || by == "" && shown[ascii.Lower(column)]
			mentioned := s.mentions(strings.ToLower(column))
			if !named && (all || mentioned) || computes && mentioned {
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
	if isWord(name) {
		return s.words[name]
	}
	return strings.ContainsAny(name, "\"`'\\") || strings.Contains(s.text, name) // a quote may be doubled
}

// follow adds to a text those of the views that it mentions. It reports whether all of them
// are known.
func (s *said) follow(views map[[2]string]said) (known bool) {
	known = true
	seen := map[[2]string]bool{}
	for again := true; again; {
		again = false
		for name, view := range views {
			if seen[name] || !s.mentions(strings.ToLower(name[0])) || !s.mentions(strings.ToLower(name[1])) {
				continue
			}
			seen[name], again = true, true
			known = known && view.text != ""
			s.text += "\n" + view.text
			maps.Copy(s.words, view.words)
		}
	}
	return known
}

func isWord(name string) bool { return strings.IndexFunc(name, separates) < 0 }

// separates reports whether r is no part of a word.
func separates(r rune) bool {
	return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
