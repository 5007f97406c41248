package usertext_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/wordset"
)

// A shipped is the texts of one package in one language, by the name of the field.
type shipped map[string]string

// module reads the texts of all packages of the module: the files of this package, and maps
// with the keys English and German.
type module struct {
	constants map[string]string // by package and name
	packages  map[string]bool
	tables    map[string]map[string]shipped // by file and position, then by language
}

func readModule(t *testing.T) *module {
	t.Helper()
	m := &module{constants: map[string]string{}, packages: map[string]bool{}, tables: map[string]map[string]shipped{}}
	files := map[string]*ast.File{}
	set := token.NewFileSet()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err == nil {
			files[path] = f
			m.packages[f.Name.Name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						if text, ok := m.text(f, spec.Values[i]); ok {
							m.constants[f.Name.Name+"."+name.Name] = text
						}
					}
				}
			}
			return true
		})
	}
	for path, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			list, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			table := map[string]shipped{}
			for _, e := range list.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if !ok {
					return true
				}
				key, ok1 := pair.Key.(*ast.SelectorExpr)
				texts, ok2 := pair.Value.(*ast.CompositeLit)
				if !ok1 || !ok2 || key.Sel.Name != "English" && key.Sel.Name != "German" {
					return true
				}
				table[key.Sel.Name] = m.fields(t, f, texts)
			}
			if len(table) > 0 {
				m.tables[strings.TrimPrefix(path, root+string(filepath.Separator))+":"+strconv.Itoa(set.Position(list.Pos()).Line)] = table
			}
			return true
		})
	}
	for language, file := range map[string]string{"English": "en", "German": "de"} {
		raw, err := os.ReadFile(filepath.Join("texts", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var sections map[string]shipped
		if err := json.Unmarshal(raw, &sections); err != nil {
			t.Fatal(err)
		}
		for section, texts := range sections {
			if m.tables[section] == nil {
				m.tables[section] = map[string]shipped{}
			}
			m.tables[section][language] = texts
		}
	}
	return m
}

func (m *module) fields(t *testing.T, f *ast.File, list *ast.CompositeLit) shipped {
	out := shipped{}
	for _, e := range list.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name := pair.Key.(*ast.Ident).Name
		text, ok := m.text(f, pair.Value)
		if !ok {
			t.Errorf("%s of package %s cannot be read", name, f.Name.Name)
		}
		out[name] = text
	}
	return out
}

// text evaluates an expression of strings.
func (m *module) text(f *ast.File, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, ok1 := m.text(f, e.X)
		y, ok2 := m.text(f, e.Y)
		return x + y, ok1 && ok2
	case *ast.Ident:
		text, ok := m.constants[f.Name.Name+"."+e.Name]
		return text, ok
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			text, ok := m.constants[of.Name+"."+e.Sel.Name]
			return text, ok
		}
	}
	return "", false
}

// Words that the texts of the other language do not have.
var (
	onlyEnglish = wordset.Of(`the of and is are were with from this that has have not for to please your you it its by on or
		no more than which there than be can could cannot rows row number numbers query report data`)
	onlyGerman = wordset.Of(`der die das und ist sind nicht mit von für bitte sie ein eine einer wird werden kein keine nach
		bei zu auf im den dem des zeilen zeile anzahl abfrage bericht daten`)
	// A vowel, or the q of Quelle, before ue is no umlaut that was written as two letters.
	folded   = regexp.MustCompile(`(?i)(?:^|[^aeiouyäöüq])(?:ae|oe|ue)|gross|heisst|ausser[^t]|schliess`)
	unfolded = wordset.Of("aktuell aktuelle aktuellen manuell individuell zuerst")
	holders  = regexp.MustCompile(`\{[a-zA-Z]+\}`)
	word     = regexp.MustCompile(`[\p{L}\d_]+`)
)

// TestShippedTexts checks all texts that code writes for users: each is there in English
// and German, has the same values in both, and has no word of the other language, no
// umlaut that is written with two letters and no name of a package.
func TestShippedTexts(t *testing.T) {
	m := readModule(t)
	if len(m.tables) < 14 {
		t.Errorf("there are %d tables of texts", len(m.tables))
	}
	// Names of packages that are words as well.
	ordinary := wordset.Of(`main budget chart page query question report research stats store tools refusal finding figures dates
		retry column database prompt resolve moment option cursor failure command provider hostile schema sentence vector poll recall
		profile dataset claims values sample search joins analyst router serve drafts text tree option lint point data`)
	all := 0
	for place, table := range m.tables {
		english, german := table["English"], table["German"]
		if len(english) != len(german) {
			t.Errorf("%s: %d texts in English and %d in German", place, len(english), len(german))
		}
		for name, text := range english {
			all++
			other := german[name]
			if text == "" || other == "" {
				t.Errorf("%s: %s is %q and %q", place, name, text, other)
			}
			if a, b := holdersOf(text), holdersOf(other); !slices.Equal(a, b) {
				t.Errorf("%s: %s has the values %v in English and %v in German", place, name, a, b)
			}
			for language, text := range map[string]string{"English": text, "German": other} {
				for _, w := range word.FindAllString(holders.ReplaceAllString(text, ""), -1) {
					lower := strings.ToLower(w)
					switch {
					case language == "English" && (onlyGerman[lower] || strings.ContainsAny(lower, "äöüß")):
						t.Errorf("%s: %s in English has the word %q: %s", place, name, w, text)
					case language == "German" && onlyEnglish[lower]:
						t.Errorf("%s: %s in German has the word %q: %s", place, name, w, text)
					case language == "German" && folded.MatchString(lower) && !unfolded[lower]:
						t.Errorf("%s: %s has an umlaut of two letters in %q: %s", place, name, w, text)
					case m.packages[lower] && !ordinary[lower]:
						t.Errorf("%s: %s names the package %s: %s", place, name, w, text)
					}
				}
			}
		}
	}
	if all < 200 {
		t.Errorf("there are %d texts", all)
	}
}

func holdersOf(text string) []string {
	found := holders.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}
