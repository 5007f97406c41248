package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/refusal"
)

// A scope has the fields that a view can draw.
type scope struct {
	fields   map[string]*field // nil: made by a transform, the values are not known
	filtered bool              // a transform leaves rows out
	changed  bool              // transforms make other rows, or it is not known which rows are left
	kept     []bool            // the rows that may be left, one for each group; nil: all, or not known if changed
	rows     float64           // the maximum number of rows
	encoding object            // of the views around it, which layers share
	shared   map[string]sharedScale
	within   map[string]*field // of a field that is made: the field whose range its numbers are in
}

// A sharedScale is the scale of a channel in one of the layers, which holds for all of them.
type sharedScale struct {
	scale object
	at    string // the path of its channel
}

// has reports whether a row passes the filters.
func (sc *scope) has(row int) bool { return sc.kept == nil || sc.kept[row] }

// left returns whether each row may be left.
func (sc *scope) left() []bool {
	if sc.kept != nil {
		return slices.Clone(sc.kept)
	}
	return slices.Repeat([]bool{true}, int(sc.rows))
}

// remade returns a scope whose rows are others than those of sc, made of the same values.
func (sc *scope) remade() *scope {
	out := *sc
	if !sc.changed || sc.kept != nil {
		out.kept = sc.left()
	}
	out.changed = true
	return &out
}

// grouped returns a scope with one row for each group of fields.
func (sc *scope) grouped(names []string) *scope {
	out := sc.only(names)
	if sc.changed {
		return out
	}
	keys := make([]string, int(sc.rows))
	for _, name := range names {
		if _, ok := sc.divide(object{"field": name}, keys); !ok {
			return out.remade()
		}
	}
	out.kept = sc.left()
	seen := map[string]bool{}
	for row, left := range out.kept {
		out.kept[row] = left && !seen[keys[row]]
		seen[keys[row]] = seen[keys[row]] || left
	}
	return out
}

// field finds a field that a spec names. col is nil if its values are not known.
func (l *linter) field(name, path string, sc *scope) (col *field, ok bool) {
	plain, steps := vegalite.Unescape(name)
	if strings.ContainsFunc(plain, vegalite.IsUnsafe) || vegalite.IsInherited(plain) {
		l.fault(ErrUnsupported, path, unsafeName+": rename the column in the query")
		return nil, false
	}
	if c, exists := sc.fields[plain]; exists {
		if steps && name == plain {
			l.report(refusal.Problem{
				Code: ErrFieldPath, Path: path, Message: "its dots and brackets would be read as a path",
				Candidates: []string{vegalite.Escape(name)},
			})
			return nil, false
		}
		if !steps || c == nil {
			if c != nil {
				l.use(c, use{})
			}
			return c, true
		}
	}
	if head, _, cut := strings.Cut(strings.NewReplacer("[", ".").Replace(name), "."); cut && steps {
		if c, exists := sc.fields[head]; exists && c == nil {
			return nil, true // a path into one of the spec's own values
		}
	}
	p := refusal.Problem{Code: ErrUnknownField, Path: path, Message: "there is no field " + vegalite.Quoted(plain)}
	var known []string
	for name := range sc.fields {
		known = append(known, vegalite.Escape(name))
	}
	slices.Sort(known)
	p.Candidates = vegalite.Similar(plain, known)
	l.report(p)
	return nil, false
}

// with returns a scope with additional fields.
func (sc *scope) with(fresh []string) *scope {
	out := *sc
	out.fields = maps.Clone(sc.fields)
	if out.fields == nil {
		out.fields = map[string]*field{}
	}
	for _, name := range fresh {
		plain, _ := vegalite.Unescape(name)
		out.fields[plain] = nil
	}
	return &out
}

// only returns a scope with some of the fields.
func (sc *scope) only(names []string) *scope {
	out := *sc
	out.fields = map[string]*field{}
	for _, name := range names {
		plain, _ := vegalite.Unescape(name)
		out.fields[plain] = sc.fields[plain]
	}
	return &out
}

// misread reports that the values of a field are not of a type.
func (l *linter) misread(path string, f *field, want vegalite.Measure) {
	p := refusal.Problem{
		Code: ErrFieldType, Path: path,
		Message: fmt.Sprintf("%s has %s, not %s", vegalite.Quoted(f.name), vegalite.Values(f.plain.Kind),
			map[vegalite.Measure]string{vegalite.Quantitative: "numbers", vegalite.Temporal: "dates"}[want]),
	}
	switch f.plain.Kind {
	case column.Numbers:
		p.Candidates = words("quantitative ordinal")
	case column.Times:
		p.Candidates = words("temporal")
	case column.Empty:
		p.Message = vegalite.Quoted(f.name) + " has no values"
	default:
		p.Candidates = words("nominal")
	}
	l.report(p)
}
