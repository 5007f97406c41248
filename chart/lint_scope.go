package chart

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed"
)

// A scope is the fields that a view can draw.
type scope struct {
	fields   map[string]*column // nil: what a transform made, whose values are not known
	open     bool               // there are fields beside these: names that come from values
	filtered bool               // some values are left out
	rows     float64            // how many rows there may be
	repeated map[string][]string
	encoding object // of the views around, which layers share
}

func newScope(columns []*column, rows int) *scope {
	sc := &scope{fields: map[string]*column{}, rows: float64(rows)}
	for _, c := range columns {
		sc.fields[c.name] = c
	}
	return sc
}

// data returns the scope of a view's own data, or sc where it has none; nil where it has
// some that cannot be taken.
func (l *linter) data(v object, path string, sc *scope) *scope {
	raw, own := v["data"]
	at := path + "/data"
	if !own || raw == nil {
		if sc.fields == nil && v["mark"] != nil {
			l.fault(NoData, path, "there is no data")
			return nil
		}
		return sc
	}
	o, ok := raw.(object)
	if !ok {
		l.fault(Malformed, at, "it is an object")
		return nil
	}
	values, given := o["values"]
	for _, key := range slices.Sorted(maps.Keys(o)) {
		switch key {
		case "values", "format":
		case "name":
			if _, ok := o[key].(string); !ok {
				l.fault(Malformed, at+"/name", "it is a text")
			}
		case "url":
			l.fault(External, at+"/url", "a chart loads nothing: leave data out, and it gets the rows")
			return nil
		case "sequence", "sphere", "graticule":
			l.fault(ForeignData, pointer(at, key), "the rows are all there is to draw: leave it out")
			return nil
		default:
			l.report(Problem{Code: UnknownName, Path: pointer(at, key), Message: "there is no such property there", Candidates: words("name values")})
			return nil
		}
	}
	switch {
	case !given && l.inline:
		l.fault(NoData, at, "there is no data: it has no values")
		return nil
	case !given:
		return sc
	case !l.inline:
		l.fault(ForeignData, at+"/values", "the rows are all there is to draw: leave data out")
		return nil
	case o["format"] != nil:
		l.fault(Unsupported, at+"/format", "values are a list of objects: leave it out")
		return nil
	}
	return l.inlined(values, at+"/values")
}

// inlined returns the scope of values that stand in the spec.
func (l *linter) inlined(v any, path string) *scope {
	list, ok := v.([]any)
	switch {
	case !ok:
		l.fault(Malformed, path, "it is a list of objects")
		return nil
	case len(list) == 0:
		l.fault(NoData, path, "there are no rows to draw")
		return nil
	case len(list) > l.limits.Rows:
		l.fault(TooLarge, path, "there are %d rows, and a chart takes %d", len(list), l.limits.Rows)
		return nil
	}
	t := &qed.Table{}
	at := map[string]int{}
	nested := map[string]bool{}
	rows := make([]object, len(list))
	for i, e := range list {
		o, ok := e.(object)
		if !ok {
			o = object{"data": e}
		}
		rows[i] = o
		for _, name := range slices.Sorted(maps.Keys(o)) {
			if _, known := at[name]; !known {
				if len(at) == 1000 {
					l.fault(TooLarge, path, "the rows have more than 1000 fields")
					return nil
				}
				at[name] = len(t.Columns)
				t.Columns = append(t.Columns, qed.Column{Name: name})
			}
		}
	}
	for _, o := range rows {
		row := make([]any, len(t.Columns))
		for name, v := range o {
			switch v := v.(type) {
			case json.Number:
				if f, err := v.Float64(); err == nil {
					row[at[name]] = f
				}
			case object, []any:
				nested[name] = true
			default:
				row[at[name]] = v
			}
		}
		t.Rows = append(t.Rows, row)
	}
	columns, err := read(t)
	if err != nil {
		l.fault(Malformed, path, "the rows are not alike")
		return nil
	}
	sc := newScope(columns, len(list))
	for name := range nested {
		sc.fields[name] = nil
	}
	return sc
}

// field finds a field that a spec names. col is nil where its values are not known.
func (l *linter) field(name, path string, sc *scope) (col *column, ok bool) {
	plain, steps := unescape(name)
	if strings.ContainsFunc(plain, unsafeInName) || inherited[plain] {
		l.fault(Unsupported, path, "a name with quotes, backslashes or control characters, or one that every object has, such as constructor, cannot be drawn: name the column otherwise in the query")
		return nil, false
	}
	if c, exists := sc.fields[plain]; exists {
		if steps && name == plain {
			l.report(Problem{Code: FieldPath, Path: path, Message: "its dots and brackets would be read as a path", Candidates: []string{escaped(name)}})
			return nil, false
		}
		if !steps || c == nil {
			if c != nil {
				l.used[plain] = true
			}
			return c, true
		}
	}
	if head, _, cut := strings.Cut(strings.NewReplacer("[", ".").Replace(name), "."); cut && steps {
		if c, exists := sc.fields[head]; exists && c == nil {
			return nil, true // into a value of the spec's own
		}
	}
	if sc.open {
		return nil, true
	}
	p := Problem{Code: UnknownField, Path: path, Message: "there is no field " + quoted(plain)}
	var known []string
	for name := range sc.fields {
		known = append(known, escaped(name))
	}
	slices.Sort(known)
	p.Candidates = similar(plain, known)
	l.report(p)
	return nil, false
}

// unescape reads the name of a field as Vega-Lite does, and reports whether it is a path.
func unescape(name string) (plain string, steps bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case '\\':
			if i++; i < len(name) {
				b.WriteByte(name[i])
			}
		case '.', '[', ']', '\'', '"':
			steps = true
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), steps
}

// with returns a scope that has new fields, too.
func (sc *scope) with(fresh []string) *scope {
	out := *sc
	out.fields = maps.Clone(sc.fields)
	if out.fields == nil {
		out.fields = map[string]*column{}
	}
	for _, name := range fresh {
		plain, _ := unescape(name)
		out.fields[plain] = nil
	}
	return &out
}

// only returns a scope that has none but some fields.
func (sc *scope) only(names []string) *scope {
	out := *sc
	out.fields, out.open = map[string]*column{}, false
	for _, name := range names {
		plain, _ := unescape(name)
		out.fields[plain] = sc.fields[plain]
	}
	return &out
}

// misread says that a field's values are not of a type.
func (l *linter) misread(path string, col *column, want measure) {
	p := Problem{Code: FieldType, Path: path, Message: fmt.Sprintf("%s holds %s, and not %s", quoted(col.name), holds(col), map[measure]string{quantitative: "numbers", temporal: "dates"}[want])}
	p.Candidates = []string{string(col.typ)}
	if col.typ == quantitative {
		p.Candidates = words("quantitative ordinal")
	}
	l.report(p)
}

func holds(c *column) string {
	switch c.typ {
	case quantitative, ordinal:
		return "numbers"
	case temporal:
		return "dates"
	}
	return "texts"
}
