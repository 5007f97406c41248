package sqlagent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/schemasearch"
)

// catalog describes the database within the policy: its tables under the names
// that the model uses, the columns that may be read, and the relationships. It
// does not change.
type catalog struct {
	names         []string // sorted
	tables        map[string]table
	folded        map[string]string // ASCII-lower name -> name
	relationships []joinpath.Relationship
	between       map[[2]string][]int    // two tables in order -> their relationships
	references    map[string][]reference // table -> what its columns refer to
	graph         *joinpath.Graph
	search        *schemasearch.Index
	hidden        []string // columns whose values the host hides
}

// table is a table of the catalog.
type table struct {
	columns []column
	comment string
	viewed  bool // a secure view is read instead, which may hide rows
	view    bool // it is a view itself
	related bool // its relationships are known, even if it has none
}

type column struct {
	name, typ string
	comment   string // data from the database
}

// newCatalog returns the part of the schema that the policy allows.
func newCatalog(guard *secureview.Guard, schema *joinpath.Schema, o Options) (*catalog, error) {
	described := make(map[string]joinpath.Table, len(schema.Tables))
	for name, t := range schema.Tables {
		described[ascii.Lower(name)] = t
	}

	c := &catalog{tables: map[string]table{}, folded: map[string]string{}}
	visible := &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{}}
	readables := guard.Tables()
	same := ascii.EqualFold
	if guard.Dialect().Name() == "postgres" {
		same = func(a, b string) bool { return a == b }
	}
	var missing []refusal.Problem
	for _, t := range readables {
		if !plainName(t.Name) {
			continue
		}
		about, ok := described[ascii.Lower(t.Name)]
		view, hasView := described[ascii.Lower(t.View)]
		if !ok {
			about, ok = view, hasView
		}
		if !ok {
			missing = append(missing, refusal.Problem{
				Code: secureview.ErrUnknownTable, Name: t.Name,
				Message:    fmt.Sprintf("the schema has no table %q, which the policy lists", t.Name),
				Candidates: refusal.Nearest(t.Name, slices.Sorted(maps.Keys(schema.Tables)), maxCandidates),
			})
			continue
		}
		known := about.Columns
		if hasView {
			known = slices.Concat(known, view.Columns) // the view may compute columns
		}
		for _, name := range t.Columns {
			if !slices.ContainsFunc(known, func(k string) bool { return same(k, name) }) {
				missing = append(missing, refusal.Problem{
					Code: secureview.ErrUnknownColumn, Path: t.Name, Name: name,
					Message:    fmt.Sprintf("the schema has no column %q in this table, which the policy lists", name),
					Candidates: refusal.Nearest(name, known, maxCandidates),
				})
			}
		}
		entry := table{comment: prompt.Clip(about.Comment, maxComment), viewed: t.View != "", view: about.View}
		for _, name := range t.Columns {
			if !plainName(name) {
				continue
			}
			typ := about.Types[name]
			if !plainName(typ) {
				typ = ""
			}
			entry.columns = append(entry.columns, column{name, typ, prompt.Clip(about.ColumnComments[name], maxComment)})
		}
		c.names = append(c.names, t.Name)
		c.tables[t.Name] = entry
		c.folded[ascii.Lower(t.Name)] = t.Name
		visible.Tables[t.Name] = readable(about, t.Columns)
	}
	if len(missing) > 0 {
		return nil, &refusal.Error{Package: "sqlagent", Problems: missing, Err: ErrMismatch}
	}
	if len(c.names) == 0 {
		return nil, fmt.Errorf("sqlagent: %w", ErrNoTables)
	}
	leftOut, err := o.Columns.LeftOut(visible)
	if err != nil {
		return nil, fmt.Errorf("sqlagent: Options.Columns: %w", err)
	}
	for _, l := range leftOut {
		if l.Reason == privacy.Hidden {
			c.hidden = append(c.hidden, l.Column)
		}
	}
	slices.Sort(c.names)
	for _, t := range readables {
		if _, taken := c.folded[ascii.Lower(t.View)]; t.View != "" && !taken {
			c.folded[ascii.Lower(t.View)] = t.Name // a model may use the name of the view
		}
	}

	for _, r := range schema.Relationships {
		if r, ok := c.restrict(r); ok {
			visible.Relationships = append(visible.Relationships, r)
		}
	}
	c.relationships = visible.Relationships
	c.index()
	if c.search, err = schemasearch.New(context.Background(), visible, nil); err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	c.graph, err = joinpath.New(visible, &joinpath.Options{MinConfidence: o.MinConfidence})
	if err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	return c, nil
}

// readable returns the description of a table for package joinpath, limited to
// columns that may be read. A key with a hidden column is left out.
func readable(about joinpath.Table, columns []string) joinpath.Table {
	visible := func(name string) bool { return slices.Contains(columns, name) }
	t := joinpath.Table{Columns: columns, Comment: prompt.Clip(about.Comment, maxComment), ColumnComments: map[string]string{}}
	for _, name := range columns {
		t.ColumnComments[name] = prompt.Clip(about.ColumnComments[name], maxComment)
	}
	for _, c := range about.UniqueColumns {
		if visible(c) {
			t.UniqueColumns = append(t.UniqueColumns, c)
		}
	}
	keys := about.UniqueKeys
	if len(about.PrimaryKey) > 0 {
		keys = append(slices.Clone(keys), about.PrimaryKey)
	}
	for _, key := range keys {
		if !slices.ContainsFunc(key, func(c string) bool { return !visible(c) }) {
			t.UniqueKeys = append(t.UniqueKeys, key)
		}
	}
	return t
}

// restrict returns a relationship with the policy's names of its tables, and
// reports whether the columns at both ends may be read.
func (c *catalog) restrict(r joinpath.Relationship) (joinpath.Relationship, bool) {
	var known [2]bool
	r.FromTable, known[0] = c.folded[ascii.Lower(r.FromTable)]
	r.ToTable, known[1] = c.folded[ascii.Lower(r.ToTable)]
	if !known[0] || !known[1] {
		return r, false
	}
	from, to := r.Columns()
	return r, c.has(r.FromTable, from) && c.has(r.ToTable, to)
}

func (c *catalog) has(name string, columns []string) bool {
	for _, want := range columns {
		if !slices.ContainsFunc(c.tables[name].columns, func(have column) bool { return have.name == want }) {
			return false
		}
	}
	return true
}

// find returns the table that a model means by a name. Letter case, a schema before
// the name and quotes around it are ignored.
func (c *catalog) find(name string) (string, bool) {
	name = strings.Trim(name[strings.LastIndexByte(name, '.')+1:], "`\"'[] ")
	if _, ok := c.tables[name]; ok {
		return name, true
	}
	name, ok := c.folded[ascii.Lower(name)]
	return name, ok
}

// describe returns a table for a prompt, with at most limit columns. comments adds
// the database's comments on columns.
func (c *catalog) describe(name string, limit int, comments bool) PromptTable {
	return c.tables[name].describe(name, limit, comments)
}

func (t table) describe(name string, limit int, comments bool) PromptTable {
	shown := min(limit, len(t.columns))
	d := PromptTable{Name: name, Comment: t.comment, More: len(t.columns) - shown}
	for _, col := range t.columns[:shown] {
		text := col.name
		if col.typ != "" {
			text += " " + prompt.Clip(col.typ, maxType)
		}
		if col.comment != "" && comments {
			text += " " + prompt.Quote(col.comment)
		}
		d.Columns = append(d.Columns, text)
	}
	return d
}

// A PromptTable is a table in a prompt.
type PromptTable struct {
	Name    string
	Columns []string // the name, the type, and the comment as a JSON string
	More    int      // the number of columns that are left out
	Comment string   // data from the database
	Sample  string   // rows as JSON lines; data from the database
}

const (
	maxComment = 200
	maxType    = 40
)

// plainName reports whether a name or a type can be part of a line of a prompt: it
// cannot end the line or a tag, and it is no longer than the names of any engine.
func plainName(s string) bool {
	return len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '<' || r == '>'
	})
}

const maxName = 256
