package llm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// modelName matches the names of models of OpenAI and Anthropic.
var modelName = regexp.MustCompile(`\b(gpt-[0-9][\w.-]*\w|claude-[a-z]+-[0-9][0-9-]*[0-9]|claude-[a-z]+-[0-9]|text-embedding-\w[\w-]*\w)\b`)

// TestNoRetiredModels: a program that was copied from the documentation or from an
// example names a model that the SDK of its provider knows and that has no date
// of retirement.
func TestNoRetiredModels(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the sources of two SDKs")
	}
	known := map[string]string{} // the note of deprecation, or ""
	for _, path := range []string{
		"github.com/openai/openai-go/v3", "github.com/openai/openai-go/v3/shared", "github.com/anthropics/anthropic-sdk-go",
	} {
		readModels(t, path, known)
	}
	if known["gpt-5-mini"] == "" || len(known) < 50 {
		t.Fatalf("the SDKs name %d models; is a deprecation still written as a comment?", len(known))
	}
	named := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != ".."):
			return fs.SkipDir
		case entry.IsDir(), name == "CHANGELOG.md", strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "example"),
			filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md" && name != ".env.example":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, model := range modelName.FindAllString(string(text), -1) {
			named++
			if note, ok := known[model]; !ok && !isFamily(known, model) {
				t.Errorf("%s names %s, which the SDK does not know", path, model)
			} else if note != "" {
				t.Errorf("%s names %s: %s", path, model, note)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if named < 5 {
		t.Errorf("%d names of models were found: do the documents still name some?", named)
	}
}

// isFamily reports whether a name is the beginning of a known model's, as a price
// table or a comment may have it.
func isFamily(known map[string]string, name string) bool {
	for model := range known {
		if strings.HasPrefix(model, name) {
			return true
		}
	}
	return false
}

// readModels adds the constants of a package that are models.
func readModels(t *testing.T, path string, known map[string]string) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// Most files of an SDK are large and have no models.
		if strings.HasSuffix(name, "_test.go") || !modelName.Match(text) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			constants, ok := decl.(*ast.GenDecl)
			if !ok || constants.Tok != token.CONST {
				continue
			}
			for _, spec := range constants.Specs {
				addModel(known, spec.(*ast.ValueSpec))
			}
		}
	}
}

func addModel(known map[string]string, constant *ast.ValueSpec) {
	for _, value := range constant.Values {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		name, err := strconv.Unquote(literal.Value)
		if err != nil || modelName.FindString(name) != name || name == "" {
			continue
		}
		note := ""
		if text := constant.Doc.Text(); strings.Contains(text, "Deprecated:") {
			note = strings.Join(strings.Fields(text[strings.Index(text, "Deprecated:"):]), " ")
		}
		known[name] += note
	}
}
