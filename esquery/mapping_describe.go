package esquery

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
)

// DescribeOptions configure [Validator.Describe]. A nil DescribeOptions and zero
// fields mean the defaults.
type DescribeOptions struct {
	// Words are the topic, such as a question. If not all fields fit, those with
	// these words in their paths are preferred. The default is no preference.
	Words string
	// MaxFields is the maximum number of fields, counted without multi-fields.
	// The default is 100.
	MaxFields int
}

// A Description describes an index to the author of a body, such as a model.
// Names come from the mapping, and the authors of documents can add names to it:
// names with characters other than letters, digits and _ - . @ $ are left out.
type Description struct {
	Index   string             `json:"index"`
	Fields  []FieldDescription `json:"fields"`            // sorted by path
	Omitted int                `json:"omitted,omitempty"` // fields left out: too many, or not plain names
}

// A FieldDescription is the description of one field.
type FieldDescription struct {
	Path string `json:"path"`
	Type string `json:"type"`
	// Nested is the nested object around the field, whose nested query it needs.
	Nested string `json:"nested,omitempty"`
	// Use lists what the field can be used for, such as "full text", "exact",
	// "range", "sort", "group" and "calculate".
	Use []string `json:"use,omitempty"`
	// Formats are the formats of a date, and Example is a date in one of them.
	Formats []string `json:"formats,omitempty"`
	Example string   `json:"example,omitempty"`
	// Dims is the length of a vector.
	Dims int `json:"dims,omitempty"`
	// Fields are multi-fields: they hold the same values for other uses.
	Fields []FieldDescription `json:"fields,omitempty"`
}

// Describe describes the index of that name to the author of a body. Sensitive
// fields are left out. A nil opt means the defaults. For an unknown index, the
// error matches [ErrUnknownIndex].
func (v *Validator) Describe(index string, opt *DescribeOptions) (*Description, error) {
	c := checker{v: v}
	ix := c.named(index)
	if ix == nil {
		return nil, refuse(c.problems)
	}
	o := option.Of(opt)
	if err := option.Default("esquery: DescribeOptions.MaxFields", &o.MaxFields, 100); err != nil {
		return nil, err
	}
	d := &Description{Index: index}
	described, odd := ix.describable()
	chosen := nearestTo(o.Words, described, o.MaxFields)
	d.Omitted = odd + len(described) - len(chosen)
	subs := ix.subFields()
	for _, f := range chosen {
		text := describe(f)
		for _, sub := range subs[f.Path] {
			text.Fields = append(text.Fields, describe(sub))
		}
		d.Fields = append(d.Fields, text)
	}
	return d, nil
}

// describable returns the sorted fields that can be described on their own, and
// how many are left out for their names.
func (ix *index) describable() ([]*Field, int) {
	var all []*Field
	odd := 0
	for _, path := range ix.mapping.known {
		f := ix.mapping.fields[path]
		switch {
		case f.Parent != "" || f.family == objectFamily || ix.sensitive.hides(path):
		case !plain(path) || !plain(f.Type) || f.Nested != "" && !plain(f.Nested):
			odd++
		default:
			all = append(all, f)
		}
	}
	return all, odd
}

// subFields returns the multi-fields that can be described, by their parents.
func (ix *index) subFields() map[string][]*Field {
	subs := map[string][]*Field{}
	for _, path := range ix.mapping.known {
		f := ix.mapping.fields[path]
		// Fields that engines add are used by their own queries only.
		if f.Parent == "" || strings.HasPrefix(lastOf(path), "_") || strings.Contains(path, "#") ||
			ix.sensitive.hides(path) || !plain(path) || !plain(f.Type) {
			continue
		}
		subs[f.Parent] = append(subs[f.Parent], f)
	}
	return subs
}

// plain reports whether a name has only letters, digits and _ - . @ $, so that
// it cannot be read as an instruction.
func plain(name string) bool {
	if name == "" || len(name) > maxPlain {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("_-.@$", r)
	}) < 0
}

const maxPlain = 150

func describe(f *Field) FieldDescription {
	text := FieldDescription{Path: f.Path, Type: f.Type, Nested: f.Nested, Dims: f.Dims}
	for _, use := range [...]struct {
		can  bool
		what string
	}{
		{f.family == textFamily && f.can(canMatch) || f.family == semanticFamily, "full text"},
		{f.family != textFamily && f.family != flattenedFamily && f.can(canTerm), "exact"},
		{f.family != textFamily && f.family != flattenedFamily && f.can(canRange), "range"},
		{f.can(canSort), "sort"},
		{f.can(canGroup), "group"},
		{f.can(canCalculate), "calculate"},
		{f.family == geoPointFamily || f.family == geoShapeFamily, "distance and area"},
		{f.family == flattenedFamily, "exact by any key below it"},
		{f.family == nestedFamily, "nested queries"},
	} {
		if use.can && f.split == "" {
			text.Use = append(text.Use, use.what)
		}
	}
	if f.split != "" {
		text.Use = []string{"differs between the indices, so it cannot be searched"}
	}
	for _, name := range f.Formats {
		if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) && len(name) <= maxPlain {
			text.Formats = append(text.Formats, name)
		}
	}
	for _, name := range text.Formats {
		if text.Example = dateExample(name); text.Example != "" {
			break
		}
	}
	return text
}

// nearestTo returns at most n of the fields, sorted by path. Fields with words of
// text in their paths are preferred, then the outermost.
func nearestTo(text string, fields []*Field, n int) []*Field {
	if len(fields) <= n {
		return fields
	}
	wanted := textmatch.Set{}
	for _, word := range textmatch.Split(textmatch.Spaced(text), nil) {
		wanted[word] = true
	}
	score := make(map[*Field]int, len(fields))
	for _, f := range fields {
		for _, word := range textmatch.Split(textmatch.Spaced(f.Path), nil) {
			if wanted[word] {
				score[f]++
			}
		}
	}
	chosen := slices.Clone(fields)
	slices.SortStableFunc(chosen, func(a, b *Field) int {
		return cmp.Or(cmp.Compare(score[b], score[a]),
			cmp.Compare(strings.Count(a.Path, "."), strings.Count(b.Path, ".")))
	})
	chosen = chosen[:n]
	slices.SortFunc(chosen, func(a, b *Field) int { return strings.Compare(a.Path, b.Path) })
	return chosen
}

// String returns the description as text, one line for each field. Names and
// formats are plain or quoted.
func (d *Description) String() string {
	var b strings.Builder
	for i := range d.Fields {
		d.Fields[i].line(&b)
		b.WriteByte('\n')
	}
	if d.Omitted > 0 {
		b.WriteString("(" + strconv.Itoa(d.Omitted) + " more fields are not shown)\n")
	}
	return b.String()
}

func (t *FieldDescription) line(b *strings.Builder) {
	b.WriteString(t.Path + ": " + t.Type)
	if len(t.Use) > 0 {
		b.WriteString("; " + strings.Join(t.Use, ", "))
	}
	if t.Nested != "" {
		b.WriteString("; in nested " + t.Nested)
	}
	if len(t.Formats) > 0 {
		b.WriteString("; format " + prompt.Quote(strings.Join(t.Formats, "||")))
	}
	if t.Example != "" {
		b.WriteString(" such as " + prompt.Quote(t.Example))
	}
	if t.Dims > 0 {
		b.WriteString("; " + strconv.Itoa(t.Dims) + " dimensions")
	}
	for i := range t.Fields {
		b.WriteString(" | ")
		t.Fields[i].line(b)
	}
}
