package references

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
	"github.com/qedkit/qed/refusal"
)

const (
	maxRegistry = 64 << 20 // bytes of its JSON
	maxName     = 300      // characters of a name
	minPartial  = 4        // characters of a name that can match partly
	maxProblems = 20       // problems that an error lists
	minRatio    = 0.7      // of two names for the tier Fuzzy
)

// ErrInvalidRegistry is the code of a [refusal.Error] of [ReadRegistry].
const ErrInvalidRegistry = refusal.Code("invalid_registry")

// A RegistryDocument is a document of a [Registry].
type RegistryDocument struct {
	ID         string   `json:"id"` // the document in the host's index, such as a file name
	Name       string   `json:"name"`
	Synonyms   []string `json:"synonyms,omitempty"` // other names, such as abbreviations and titles in other languages
	Collection string   `json:"collection,omitempty"`
}

// A Registry has the names of documents. It is safe for concurrent use. Make one with
// [ReadRegistry]. A nil Registry has no documents.
type Registry struct {
	documents []RegistryDocument
	names     []registryName
	exact     map[string]int // index in names, by the folded name
	longest   int            // the most words of a name
	words     []string       // of all names, sorted
}

// A registryName is one of the names of a document, in the form that is compared.
type registryName struct {
	document int
	folded   string
	letters  []rune // sorted
	marks    string
}

func newName(document int, folded string) registryName {
	letters := []rune(folded)
	slices.Sort(letters)
	return registryName{document, folded, letters, marks(folded)}
}

// ReadRegistry reads a registry from its JSON form:
//
//	{
//	  "documents": [
//	    {
//	      "id": "safety-2021.pdf",
//	      "name": "Safety Manual",
//	      "synonyms": ["SM", "Sicherheitshandbuch"],
//	      "collection": "manuals"
//	    }
//	  ]
//	}
//
// It returns a [*refusal.Error] with code [ErrInvalidRegistry] that names the
// entries
//
//   - if the JSON has an unknown field, no documents, or more than 64 MiB
//   - if an id or a name is empty, or has more than 300 characters
//   - if two documents have the same id, or the same name. Names are the same if
//     they differ only in letter case, accents, punctuation and spaces
func ReadRegistry(r io.Reader) (*Registry, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxRegistry+1))
	if err != nil {
		return nil, fmt.Errorf("references: read registry: %w", err)
	}
	var file struct {
		Documents []RegistryDocument `json:"documents"`
	}
	var bad []refusal.Problem
	problem := func(path, name, format string, args ...any) {
		if len(bad) < maxProblems {
			bad = append(bad, refusal.Problem{
				Code: ErrInvalidRegistry, Path: path, Name: name, Message: fmt.Sprintf(format, args...),
			})
		}
	}
	if len(raw) > maxRegistry {
		problem("", "", "the registry is larger than %d bytes; split it by collection", maxRegistry)
	} else if err := strictjson.Decode(raw, &file); err != nil {
		problem("", "", "the registry is not valid: %s", strings.TrimPrefix(err.Error(), "json: "))
	} else if len(file.Documents) == 0 {
		problem("/documents", "", "the registry has no documents")
	}
	reg := &Registry{documents: file.Documents, exact: make(map[string]int, len(file.Documents))}
	ids := make(map[string]bool, len(file.Documents))
	for i, d := range file.Documents {
		path := fmt.Sprintf("/documents/%d", i)
		switch {
		case strings.TrimSpace(d.ID) == "":
			problem(path+"/id", "", "the document has no id")
		case utf8.RuneCountInString(d.ID) > maxName:
			problem(path+"/id", "", "the id has more than %d characters", maxName)
		case ids[d.ID]:
			problem(path+"/id", d.ID, "another document has the id %q too", d.ID)
		}
		ids[d.ID] = true
		if err := reg.add(i, d.Name); err != nil {
			problem(path+"/name", "", "%s", err)
		}
		for j, s := range d.Synonyms {
			if err := reg.add(i, s); err != nil {
				problem(fmt.Sprintf("%s/synonyms/%d", path, j), "", "%s", err)
			}
		}
	}
	if len(bad) > 0 {
		return nil, &refusal.Error{Package: "references", Problems: bad}
	}
	slices.Sort(reg.words)
	reg.words = slices.Compact(reg.words)
	return reg, nil
}

// add adds a name of a document.
func (r *Registry) add(document int, name string) error {
	folded, ok := fold(name)
	switch {
	case !ok:
		return fmt.Errorf("a name has more than %d characters", maxName)
	case folded == "":
		return fmt.Errorf("the name %q has no letter or digit", name)
	}
	if i, ok := r.exact[folded]; ok {
		if other := r.names[i].document; other != document {
			return fmt.Errorf("the name %q also refers to the document %q; give each of them a name of its own",
				name, r.documents[other].ID)
		}
		return nil // two spellings of the same name
	}
	r.exact[folded] = len(r.names)
	r.names = append(r.names, newName(document, folded))
	r.words = append(r.words, strings.Fields(folded)...)
	r.longest = max(r.longest, strings.Count(folded, " ")+1)
	return nil
}

// fold returns a name in the form that is compared. It returns false if the name is
// too long.
func fold(name string) (folded string, ok bool) {
	if len(name) > maxName*utf8.UTFMax {
		return "", false
	}
	folded = textmatch.Fold(name)
	return folded, max(utf8.RuneCountInString(name), utf8.RuneCountInString(folded)) <= maxName
}

// Documents returns the documents in the order of the JSON.
func (r *Registry) Documents() []RegistryDocument {
	if r == nil {
		return nil
	}
	return slices.Clone(r.documents)
}

// A Tier is how a name matched.
type Tier string

const (
	// Exact is a name of the registry, whatever its letter case, accents,
	// punctuation and spaces.
	Exact Tier = "exact"

	// Fuzzy is a name that resembles one of the registry. Their ratio is at least 0.7,
	// each word is like one of the other name, and both have the same numbers: "ISO
	// 9002" is not a misspelling of "ISO 9001", "Annex A" not of "Annex B", "Crane
	// Manual" not of "Noise Manual", and "Landesgesetz" not of "Bundesgesetz".
	Fuzzy Tier = "fuzzy"

	// Substring is a name that has a name of the registry in it, or the other way
	// around. Only whole words match. A "Safety Manual 2022" is not the "Safety Manual"
	// of a registry that has a "Safety Manual 2021" too.
	Substring Tier = "substring"
)

// A Match is the document that a name refers to.
type Match struct {
	Document RegistryDocument `json:"document,omitzero"`
	Tier     Tier             `json:"tier,omitempty"`

	// Name is the name of the registry that matched, with letters in lower case,
	// without accents and punctuation.
	Name string `json:"name,omitempty"`

	// Ratio is the similarity of the two names, from 0 to 1: twice the number of
	// characters that they have in common, divided by all their characters.
	Ratio float64 `json:"ratio,omitempty"`

	// Candidates are the documents that match equally well, if it is not certain
	// which is meant. There are at most ten. Document is zero then.
	Candidates []RegistryDocument `json:"candidates,omitempty"`
}

const maxCandidates = 10

// Resolve returns the document that a name refers to. The first tier that has a
// match decides: [Exact], [Fuzzy], [Substring]. If several documents match
// equally well, Resolve returns false and lists them in [Match.Candidates]. With
// collections, only their documents match.
//
// A name of fewer than four letters or digits matches only exactly, and one of more
// than 300 characters not at all.
func (r *Registry) Resolve(name string, collections ...string) (Match, bool) {
	folded, ok := fold(name)
	if r == nil || !ok || folded == "" {
		return Match{}, false
	}
	of := func(n registryName) bool {
		return len(collections) == 0 || slices.Contains(collections, r.documents[n.document].Collection)
	}
	if i, ok := r.exact[folded]; ok && of(r.names[i]) {
		return r.match(Exact, 1, r.names[i])
	}
	asked := newName(0, folded)
	if len(asked.letters) < minPartial {
		return Match{}, false
	}
	if ratio, best := r.fuzzy(asked, of); len(best) > 0 {
		return r.match(Fuzzy, ratio, best...)
	}
	if best := r.contained(folded, of); len(best) > 0 {
		m, ok := r.match(Substring, lengthRatio(asked, best[0]), best...)
		if ok && r.distinguished(asked, best[0]) {
			return Match{Tier: Substring, Ratio: m.Ratio, Candidates: []RegistryDocument{m.Document}}, false
		}
		return m, ok
	}
	return Match{}, false
}

// match returns the match of names, which match equally well.
func (r *Registry) match(tier Tier, ratio float64, names ...registryName) (Match, bool) {
	m := Match{Tier: tier, Ratio: ratio}
	var documents []int
	for _, n := range names {
		if !slices.Contains(documents, n.document) && len(documents) < maxCandidates {
			documents = append(documents, n.document)
		}
	}
	if len(documents) == 1 {
		m.Document, m.Name = r.documents[documents[0]], names[0].folded
		return m, true
	}
	for _, d := range documents {
		m.Candidates = append(m.Candidates, r.documents[d])
	}
	return m, false
}

// fuzzy returns the names with the highest ratio, if it is at least minRatio.
func (r *Registry) fuzzy(asked registryName, of func(registryName) bool) (best float64, names []registryName) {
	best = minRatio
	for _, n := range r.names {
		if len(n.letters) < minPartial || n.marks != asked.marks || lengthRatio(n, asked) < best || !of(n) {
			continue
		}
		switch ratio := ratio(n.letters, asked.letters); {
		case ratio < best || !r.misspelled(asked.folded, n.folded):
		case ratio > best:
			best, names = ratio, []registryName{n}
		case ratio == best:
			names = append(names, n)
		}
	}
	return best, names
}

// ratio returns 2*M/T. T is the number of characters of two names, and M the number of those
// that they have in common, in any order.
func ratio(a, b []rune) float64 {
	common, all := 0, len(a)+len(b)
	for len(a) > 0 && len(b) > 0 {
		switch cmp.Compare(a[0], b[0]) {
		case 0:
			common++
			a, b = a[1:], b[1:]
		case 1:
			b = b[1:]
		default:
			a = a[1:]
		}
	}
	return 2 * float64(common) / float64(all)
}

// lengthRatio returns the ratio of two names if the shorter one is a part of the
// other.
func lengthRatio(a, b registryName) float64 {
	return 2 * float64(min(len(a.letters), len(b.letters))) / float64(len(a.letters)+len(b.letters))
}

// contained returns the longest names that are in asked, or else those that have
// asked in them.
func (r *Registry) contained(asked string, of func(registryName) bool) (names []registryName) {
	words := strings.Split(asked, " ")
	end := 0 // of the names found so far
	for i := range words {
		for j := min(len(words), i+r.longest); j > max(i, end); j-- {
			k, ok := r.exact[strings.Join(words[i:j], " ")]
			if ok && len(r.names[k].letters) >= minPartial && of(r.names[k]) {
				names, end = append(names, r.names[k]), j
				break
			}
		}
	}
	if len(names) > 0 {
		return names
	}
	inner := " " + asked + " "
	for _, n := range r.names {
		if strings.Contains(n.folded, asked) && strings.Contains(" "+n.folded+" ", inner) && of(n) {
			names = append(names, n)
		}
	}
	slices.SortStableFunc(names, func(a, b registryName) int { return cmp.Compare(len(a.letters), len(b.letters)) })
	return names
}

// distinguished reports whether a name has what tells it apart from the name of the registry
// in it. Such a name is another one: "Safety Manual 2022" next to a "Safety Manual" and a
// "Safety Manual 2021", and "Student Handbook" next to a "Handbook" and an "Employee Handbook".
func (r *Registry) distinguished(asked, found registryName) bool {
	before, after, inside := strings.Cut(" "+asked.folded+" ", " "+found.folded+" ")
	if !inside {
		return false
	}
	words := strings.FieldsFunc(before, unicode.IsSpace)
	named := len(words) > 0 && !articles[words[len(words)-1]]
	numbered := marks(after) != "" && marks(after) != found.marks
	return slices.ContainsFunc(r.names, func(n registryName) bool {
		return n.document != found.document &&
			(named && strings.HasSuffix(n.folded, " "+found.folded) || numbered && n.marks != "" && strings.HasPrefix(n.folded, found.folded+" "))
	})
}

// articles are words before a name that are not part of it.
var articles = wordset.Of(`
	the a an of our your this that in per see to under by and from der die das des dem den zum zur im vom laut
	siehe gemass nach und`)

// marks returns what distinguishes names that are spelled alike: the digits of
// their words, Roman numerals and single letters.
func marks(folded string) string {
	var out []string
	for w := range strings.FieldsSeq(folded) {
		digits := strings.Map(func(r rune) rune {
			if unicode.IsNumber(r) {
				return r
			}
			return -1
		}, w)
		if digits != "" {
			out = append(out, digits)
		} else if utf8.RuneCountInString(w) == 1 || strings.Trim(w, "ivxlc") == "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
