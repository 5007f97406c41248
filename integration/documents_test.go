package integration_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents returns the texts of the documents for people, by path from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md"} {
		paths, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel("..", path)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(name)] = string(text)
		}
	}
	return texts
}

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	pageOf    = regexp.MustCompile(`^https://pkg\.go\.dev/github\.com/qedkit/qed/?([^#]*)`)
)

// TestDocumentLinks follows the links of the documents: to files, to headings, and to the
// documentation of packages.
func TestDocumentLinks(t *testing.T) {
	texts := documents(t)
	for name, text := range texts {
		for _, link := range mdLink.FindAllStringSubmatch(text, -1) {
			if page := pageOf.FindStringSubmatch(link[1]); page != nil {
				if files, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(page[1]), "*.go")); len(files) == 0 {
					t.Errorf("%s links to the documentation of %s, which is no package", name, page[1])
				}
				continue
			}
			if strings.Contains(link[1], "://") {
				continue
			}
			path, heading, _ := strings.Cut(link[1], "#")
			to := name
			if path != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
			}
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
			}
			if heading != "" && !slices.Contains(anchors(texts[to]), heading) {
				t.Errorf("%s links to %s, which has no such heading", name, link[1])
			}
		}
	}
}

// anchors returns the headings of a document as links name them.
func anchors(text string) (all []string) {
	for _, h := range mdHeading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	return all
}

var (
	codePath = regexp.MustCompile("`([a-z][\\w./*-]*(?:/[\\w.*-]*|\\.go|\\.md|\\.tmpl))`")
	function = regexp.MustCompile("`(\\w+)` in\\s+`([\\w/.]+\\.go)`")
	inTable  = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// TestArchitecture: each path and each function that ARCHITECTURE.md names exists, and it
// lists every internal package.
func TestArchitecture(t *testing.T) {
	text := documents(t)["ARCHITECTURE.md"]
	for _, m := range codePath.FindAllStringSubmatch(text, -1) {
		if found, _ := filepath.Glob(filepath.Join("..", m[1])); len(found) == 0 {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", m[1])
		}
	}
	named := function.FindAllStringSubmatch(text, -1)
	if len(named) < 20 {
		t.Errorf("ARCHITECTURE.md names %d functions", len(named))
	}
	for _, m := range named {
		source, err := os.ReadFile(filepath.Join("..", m[2]))
		if err != nil {
			continue // a path that does not exist
		}
		declared := regexp.MustCompile(fmt.Sprintf(`(?m)^(func (\([^)]*\) )?|type )%s\b`, m[1]))
		if !declared.Match(source) {
			t.Errorf("ARCHITECTURE.md names %s in %s, which does not declare it", m[1], m[2])
		}
	}
	_, internal, _ := strings.Cut(text, "\n## internal\n")
	var listed []string
	for _, row := range inTable.FindAllStringSubmatch(internal, -1) {
		for _, m := range quoted.FindAllStringSubmatch(row[1], -1) {
			listed = append(listed, m[1])
		}
	}
	folders, err := os.ReadDir("../internal")
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, f := range folders {
		there = append(there, f.Name())
		if !slices.Contains(listed, f.Name()) {
			t.Errorf("ARCHITECTURE.md does not list internal/%s", f.Name())
		}
	}
	for _, name := range listed {
		if !slices.Contains(there, name) {
			t.Errorf("ARCHITECTURE.md lists internal/%s, which does not exist", name)
		}
	}
}

// TestDocumentSizes: documents that are read first stay short.
func TestDocumentSizes(t *testing.T) {
	texts := documents(t)
	for name, most := range map[string]int{"README.md": 10 << 10, "ARCHITECTURE.md": 12 << 10, "CHANGELOG.md": 4 << 10,
		"docs/requirements.md": 20 << 10} {
		if n := len(texts[name]); n == 0 || n > most {
			t.Errorf("%s has %d bytes, want at most %d", name, n, most)
		}
	}
}

// fromGo are errors of Go itself and of the standard library.
var fromGo = []string{"unknown driver", "build constraints exclude all Go files"}

// TestTroubleshooting: the errors that the document explains are in the code, and so are
// the names of their kinds.
func TestTroubleshooting(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "integration"):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" && filepath.Base(filepath.Dir(path)) != "texts" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	source := strings.ReplaceAll(code.String(), `\"`, `"`)
	rows := regexp.MustCompile("(?m)^\\| `([^|]+)` \\| (.*) \\|$").FindAllStringSubmatch(documents(t)["docs/troubleshooting.md"], -1)
	if len(rows) < 20 {
		t.Errorf("the document has %d errors", len(rows))
	}
	for _, row := range rows {
		for part := range strings.SplitSeq(strings.ReplaceAll(row[1], "`, `", ".."), "..") {
			if !slices.Contains(fromGo, part) && !strings.Contains(source, part) {
				t.Errorf("no error of the code has the text %q", part)
			}
		}
		if m := regexp.MustCompile("^`(\\w+)\\.(Err\\w+)`").FindStringSubmatch(row[2]); m != nil &&
			!regexp.MustCompile(`(?m)^\s*(var )?`+m[2]+`\b.*=`).MatchString(source) {
			t.Errorf("there is no %s.%s", m[1], m[2])
		}
	}
}

// TestRequirements: each package that the document names is in the code, and so is each
// test. A requirement that is met has tests, and the counts are those of the rows.
func TestRequirements(t *testing.T) {
	text := documents(t)["docs/requirements.md"]
	folders := map[string]string{} // of the packages, from the root
	for _, m := range regexp.MustCompile(`(?m)^\[([\w/-]+)\]: \.\.(.*)$`).FindAllStringSubmatch(text, -1) {
		folders[m[1]] = strings.TrimPrefix(m[2], "/")
	}
	counts := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*) \| \[(.*)\] \| (.*?) ?\| (full|(?:different|missing): .+) \|$`).FindAllStringSubmatch(text, -1) {
		folder, ok := folders[row[2]]
		if files, _ := filepath.Glob(filepath.Join("..", folder, "*.go")); !ok || len(files) == 0 {
			t.Errorf("%s: %s is no package, or has no link", row[1], row[2])
			continue
		}
		state, _, _ := strings.Cut(row[4], ":")
		tests := quoted.FindAllStringSubmatch(row[3], -1)
		if len(tests) == 0 && state != "missing" {
			t.Errorf("%s: no test is named", row[1])
		}
		for _, test := range tests {
			in, name, other := strings.Cut(test[1], ":")
			if !other {
				in, name = folder, test[1]
			}
			if !declaresTest(t, in, name) {
				t.Errorf("%s: %q has no %s", row[1], in, name)
			}
		}
		counts[state]++
		counts["all"]++
	}
	if n := strings.Count(text, "\n| ") - strings.Count(text, "\n| requirement | package | tests | state |"); n != counts["all"] || n < 100 {
		t.Errorf("%d of %d rows can be read", counts["all"], n)
	}
	said := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		fmt.Sprintf("its %d requirements", counts["all"]),
		fmt.Sprintf("%d are met in full, %d are met in another form on purpose, and %d are missing", counts["full"], counts["different"], counts["missing"]),
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the document does not say %q", want)
		}
	}
}

// declaresTest reports whether the tests of a folder declare a test, benchmark or example.
func declaresTest(t *testing.T, folder, name string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if declared.Match(text) && regexp.MustCompile(`^(Test|Benchmark|Example)`).MatchString(name) {
			return true
		}
	}
	return false
}
