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
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/wordset"
)

// packageNames returns the names of the packages of the module. It reports code that has
// texts by language, which a host could not replace.
func packageNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		names[f.Name.Name] = true
		ast.Inspect(f, func(n ast.Node) bool {
			if pair, ok := n.(*ast.KeyValueExpr); ok {
				key, ok := pair.Key.(*ast.SelectorExpr)
				if _, texts := pair.Value.(*ast.CompositeLit); ok && texts && key.Sel.Name == "German" {
					t.Errorf("%s has texts in German: move them to texts/de.json", path)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// readTexts returns the texts of a language by section and name.
func readTexts(t *testing.T, language string) map[string]map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("texts", language+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]map[string]string
	if err := json.Unmarshal(raw, &sections); err != nil {
		t.Fatal(err)
	}
	return sections
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
	packages := packageNames(t)
	inEnglish, inGerman := readTexts(t, "en"), readTexts(t, "de")
	if len(inEnglish) < 14 || len(inEnglish) != len(inGerman) {
		t.Errorf("there are %d sections in English and %d in German", len(inEnglish), len(inGerman))
	}
	// Names of packages that are words as well.
	ordinary := wordset.Of(`main budget chart page query question report research stats store tools refusal finding figures dates
		retry column database prompt resolve moment option cursor failure command provider hostile schema sentence vector poll recall
		profile dataset claims values sample search joins analyst router serve drafts text tree option lint point data lines orders`)
	all := 0
	for place, english := range inEnglish {
		german := inGerman[place]
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
					case packages[lower] && !ordinary[lower]:
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
