package citation_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/sentence"
	"github.com/qedkit/qed/rag/citation"
)

// TestDocuments takes sentences with numbers from documents that others wrote: those of
// the modules that this one requires. Each sentence is cited as it is, and with its numbers
// in other forms: none may have a finding. Then each number is changed to one that the
// passage does not have: of those, nine in ten have to be found.
func TestDocuments(t *testing.T) {
	sentences, documents := documentSentences(t)
	forms, changed, found := 0, 0, 0
	for _, s := range sentences {
		source := []citation.Source{{Key: "1", Text: s.passage}}
		for _, form := range otherForms(s.text) {
			forms++
			for _, f := range citation.Audit(form+" [1].", source).Findings {
				t.Errorf("%s %s: %s\nfrom %q", f.Kind, f.Text, form, s.passage)
			}
		}
		for _, at := range numbers.FindAllStringIndex(s.text, -1) {
			other := successor(s.text[at[0]:at[1]])
			if strings.Contains(s.passage, other) {
				continue
			}
			changed++
			text := s.text[:at[0]] + other + s.text[at[1]:]
			if len(citation.Audit(text+" [1].", source).Findings) > 0 {
				found++
			} else if testing.Verbose() {
				t.Logf("no finding: %s for %s in %s", other, s.text[at[0]:at[1]], text)
			}
		}
	}
	t.Logf("%d sentences of %d documents, %d forms; %d of %d changed numbers found", len(sentences), documents, forms, found, changed)
	if documents < 50 || len(sentences) < 200 || found*10 < changed*9 {
		t.Errorf("%d sentences of %d documents; %d of %d changed numbers found", len(sentences), documents, found, changed)
	}
}

type passageSentence struct{ text, passage string }

// documentSentences returns up to 40 sentences of each document.
func documentSentences(t *testing.T) (all []passageSentence, documents int) {
	out, err := exec.Command("go", "list", "-deps", "-test", "-f", "{{with .Module}}{{.Dir}}{{end}}", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(out))
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if _, err := os.Stat(filepath.Join(dir, "rag", "citation")); err == nil {
			continue // of this project
		}
		names, _ := filepath.Glob(filepath.Join(dir, "*.md"))
		deeper, _ := filepath.Glob(filepath.Join(dir, "*", "*.md"))
		for _, name := range append(names, deeper...) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if of := sentencesOf(string(text)); len(of) > 0 {
				all, documents = append(all, of...), documents+1
			}
		}
	}
	return all, documents
}

func sentencesOf(document string) (all []passageSentence) {
	for passage := range strings.SplitSeq(document, "\n\n") {
		if len(passage) > 3000 || strings.Contains(passage, "```") || strings.HasPrefix(passage, "    ") {
			continue
		}
		begin := 0
		for _, end := range sentence.Ends(passage) {
			text := strings.TrimRight(strings.Join(strings.Fields(passage[begin:end]), " "), ".")
			begin = end
			if prose.MatchString(text) && !strings.Contains(text, "://") && numbers.MatchString(text) && len(all) < 40 {
				all = append(all, passageSentence{text, passage})
			}
		}
	}
	return all
}

var (
	// prose matches a sentence without code, links, identifiers and marks of lists.
	prose   = regexp.MustCompile("^[A-Z][^`\\[\\]|#<>@_*]{30,400}$")
	numbers = regexp.MustCompile(`\b\d+(?:[.,]\d+)*\b`)
)

// successor returns a number with another last digit.
func successor(number string) string {
	last := number[len(number)-1] - '0'
	return number[:len(number)-1] + strconv.Itoa(int(last+1)%10)
}

var (
	isoDate   = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)
	thousands = regexp.MustCompile(`(^| )([3-9]|[1-9]\d{1,2})(\d{3}) ([a-z]+)\b`)
	percent   = regexp.MustCompile(`(\d)%`)
	counted   = regexp.MustCompile(`(^| )([2-9]|1[0-2]) (days|weeks|months|years|hours|minutes|seconds|times|bytes|bits|percent)\b`)
	measured  = regexp.MustCompile(`\b(\d+) ?(kB|KB|MB|GB|KiB|MiB|GiB|ms|µs|ns)\b`)
)

// otherForms returns a sentence as it is, and as other people would write it.
func otherForms(text string) []string {
	words := strings.Fields("two three four five six seven eight nine ten eleven twelve")
	all := []string{text}
	for _, other := range []string{
		isoDate.ReplaceAllStringFunc(text, func(day string) string {
			if at, err := time.Parse(time.DateOnly, day); err == nil {
				return at.Format("2 January 2006")
			}
			return day
		}),
		thousands.ReplaceAllString(text, "$1$2,$3 $4"),
		percent.ReplaceAllString(text, "$1 percent"),
		counted.ReplaceAllStringFunc(text, func(found string) string {
			m := counted.FindStringSubmatch(found)
			n, _ := strconv.Atoi(m[2])
			return m[1] + words[n-2] + " " + m[3]
		}),
		measured.ReplaceAllString(text, "$1 $2"),
	} {
		if other != text {
			all = append(all, other)
		}
	}
	return all
}
