package sqlagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/schemasearch"
	"github.com/qedkit/qed/sqldb"
)

// catalog describes the database within the policy: its tables under the names
// that the model uses, the columns that may be read, and the relationships. It
// does not change.
type catalog struct {
	names         []string            // sorted
	columns       map[string][]string // of the tables: those that can be part of a prompt
	folded        map[string]string   // ASCII-lower name -> name
	bare          map[string][]string // ASCII-lower name without schema -> names of tables of further schemas
	relationships []joinpath.Relationship
	schema        *joinpath.Schema // what the account and the policy let it see, with short comments
	graph         *joinpath.Graph
	search        *schemasearch.Index
	hidden        []string // columns whose values the host hides
}

// newCatalog returns the part of the schema that the policy allows.
func newCatalog(guard *secureview.Guard, schema *joinpath.Schema, o Options) (*catalog, error) {
	visible, err := sqldb.Readable(schema, guard)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		return nil, &refusal.Error{Package: "sqlagent", Problems: refused.Problems, Err: ErrMismatch}
	}
	if err == nil && o.Graph != nil {
		visible, _, err = joingraph.Combine(visible, joingraph.Source{Name: "Options.Graph", Schema: o.Graph})
	}
	if err != nil {
		return nil, fmt.Errorf("sqlagent: Options.Graph: %w", err)
	}
	c := &catalog{schema: visible, columns: map[string][]string{}, folded: map[string]string{}, bare: map[string][]string{}}
	for name, about := range visible.Tables {
		if !plainName(name) {
			delete(visible.Tables, name)
			continue
		}
		about.Comment = prompt.Clip(about.Comment, maxComment)
		c.columns[name] = lists.Filter(about.Columns, plainName)
		for _, name := range about.Columns {
			about.ColumnComments[name] = prompt.Clip(about.ColumnComments[name], maxComment)
			if !plainName(about.Types[name]) {
				about.Types[name] = ""
			}
		}
		visible.Tables[name] = about
		c.names = append(c.names, name)
		c.folded[ascii.Lower(name)] = name
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
	for _, name := range c.names {
		view := ascii.Lower(visible.Tables[name].SecureView)
		if _, taken := c.folded[view]; view != "" && !taken {
			c.folded[view] = name // a model may use the name of the view
		}
		if schema := visible.Tables[name].Schema; schema != "" {
			bare := ascii.Lower(name[len(schema)+1:])
			c.bare[bare] = append(c.bare[bare], name)
		}
	}
	c.relationships = slices.DeleteFunc(visible.Relationships, func(r joinpath.Relationship) bool {
		from, to := r.Columns()
		return !c.has(r.FromTable, from) || !c.has(r.ToTable, to)
	})
	visible.Relationships = c.relationships
	if c.search, err = schemasearch.New(context.Background(), visible, nil); err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	c.graph, err = joinpath.New(visible, &joinpath.Options{MinConfidence: o.MinConfidence, Aside: o.Aside})
	if err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	return c, nil
}

func (c *catalog) has(name string, columns []string) bool {
	return !slices.ContainsFunc(columns, func(want string) bool {
		return !slices.Contains(c.columns[name], want)
	})
}

// find returns the table that a model means by a name. Letter case and quotes are
// ignored, and so is a schema before the name of a table that is not in it. A table of a
// further schema is also found by its name alone if only one table has it.
func (c *catalog) find(name string) (string, bool) {
	plain := strings.TrimSpace(unquote.Replace(name))
	for _, name := range []string{name, plain, plain[strings.LastIndexByte(plain, '.')+1:]} {
		if _, ok := c.columns[name]; ok {
			return name, true
		}
		if found, ok := c.folded[ascii.Lower(name)]; ok {
			return found, true
		}
		if found := c.bare[ascii.Lower(name)]; len(found) == 1 {
			return found[0], true
		}
	}
	return "", false
}

// meant returns the table that a model means, who may write it as a prompt does, with
// its columns after it, or in the singular or plural if that is one other table.
func (c *catalog) meant(name string) (string, bool) {
	if found, ok := c.find(name); ok {
		return found, true
	}
	name, _, _ = strings.Cut(name, "(")
	if found, ok := c.find(name); ok {
		return found, true
	}
	name = strings.TrimSpace(name)
	plural, ok := c.find(name + "s")
	singular, also := c.find(strings.TrimSuffix(name, "s"))
	switch {
	case ok && also:
		return "", false
	case ok:
		return plural, true
	}
	return singular, also
}

// unquote removes the quotes of names.
var unquote = strings.NewReplacer("`", "", `"`, "", "'", "", "[", "", "]", "")

// describe returns a table for a prompt, with at most limit columns. comments adds
// the database's comments on columns.
func (c *catalog) describe(name string, limit int, comments bool) promptTable {
	return c.describeBy(name, c.columns[name], limit, comments)
}

// describeBy is describe with the columns in an order.
func (c *catalog) describeBy(name string, columns []string, limit int, comments bool) promptTable {
	t, shown := c.schema.Tables[name], min(limit, len(columns))
	d := promptTable{Name: name, Comment: t.Comment, More: len(columns) - shown}
	for _, col := range columns[:shown] {
		text := col
		if typ := t.Types[col]; typ != "" {
			text += " " + prompt.Clip(typ, maxType)
		}
		if comment := t.ColumnComments[col]; comment != "" && comments {
			text += " " + prompt.Quote(comment)
		}
		d.Columns = append(d.Columns, text)
	}
	return d
}

// A promptTable is a table in a prompt.
type promptTable struct {
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
