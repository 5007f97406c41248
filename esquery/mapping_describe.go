package esquery

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/lists"
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

// Describe describes the index of that name to the author of a body, such as a model:
// one line for each field, with its type, what it can be used for, and its multi-fields.
// Sensitive fields are left out. Names come from the mapping, and the authors of documents
// can add names to it: names with characters other than letters, digits and _ - . @ $ are
// left out. A nil opt means the defaults. For an unknown index, the error matches
// [ErrUnknownIndex].
func (v *Validator) Describe(index string, opt *DescribeOptions) (string, error) {
	c := checker{v: v}
	ix := c.named(index)
	if ix == nil {
		return "", refuse(c.problems)
	}
	o := option.Of(opt)
	if err := option.Default("esquery: DescribeOptions.MaxFields", &o.MaxFields, 100); err != nil {
		return "", err
	}
	described, multi, odd := ix.describable()
	chosen := nearestTo(o.Words, described, o.MaxFields)
	var b strings.Builder
	for _, f := range chosen {
		describe(&b, f)
		for _, sub := range multi[f.Path] {
			b.WriteString(" | ")
			describe(&b, sub)
		}
		b.WriteByte('\n')
	}
	if omitted := odd + len(described) - len(chosen); omitted > 0 {
		b.WriteString("(" + strconv.Itoa(omitted) + " more fields are not shown)\n")
	}
	return b.String(), nil
}

// describable returns the sorted fields that can be described, the multi-fields by their
// parents, and how many fields are left out for their names.
func (ix *index) describable() (all []*Field, multi map[string][]*Field, odd int) {
	multi = map[string][]*Field{}
	for _, path := range ix.mapping.known {
		f := ix.mapping.fields[path]
		switch named := plain(path) && plain(f.Type) && (f.Nested == "" || plain(f.Nested)); {
		case f.family == objectFamily || ix.sensitive.hides(path):
		// Fields that engines add are used by their own queries only.
		case f.Parent != "" && named && !strings.HasPrefix(lastOf(path), "_"):
			multi[f.Parent] = append(multi[f.Parent], f)
		case f.Parent != "":
		case !named:
			odd++
		default:
			all = append(all, f)
		}
	}
	return all, multi, odd
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

// describe writes a field. Names and formats are plain or quoted.
func describe(b *strings.Builder, f *Field) {
	b.WriteString(f.Path + ": " + f.Type)
	var uses []string
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
		if use.can {
			uses = append(uses, use.what)
		}
	}
	if f.split != "" {
		uses = []string{"differs between the indices, so it cannot be searched"}
	}
	if len(uses) > 0 {
		b.WriteString("; " + strings.Join(uses, ", "))
	}
	if f.Nested != "" {
		b.WriteString("; in nested " + f.Nested)
	}
	formats := lists.Filter(f.Formats, func(name string) bool {
		return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) && len(name) <= maxPlain
	})
	if len(formats) > 0 {
		b.WriteString("; format " + prompt.Quote(strings.Join(formats, "||")))
	}
	for _, name := range formats {
		if example := dateExample(name); example != "" {
			b.WriteString(" such as " + prompt.Quote(example))
			break
		}
	}
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
