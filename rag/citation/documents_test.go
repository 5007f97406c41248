package citation_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/qedkit/qed/internal/numeral"
	"github.com/qedkit/qed/internal/sentence"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/citation"
	"github.com/qedkit/qed/rag/pdf"
)

// TestDocuments takes sentences with numbers from documents that others wrote, as rag.Read
// reads them: those of the modules that this one requires, and what this machine has in
// /usr/share. Each sentence is cited as it is, and with its numbers in other forms: none may
// have a finding. Then each number is changed to one that the passage does not have: of
// those in digits, nine in ten have to be found.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the documents of the machine")
	}
	sentences, documents := documentSentences(t)
	forms := 0
	type share struct{ changed, found int }
	shares := map[string]*share{}
	for _, s := range sentences {
		source := []citation.Source{{Key: "1", Text: s.passage}}
		for _, form := range otherForms(s.text) {
			forms++
			for _, f := range citation.Audit(form+" [1].", source).Findings {
				t.Errorf("%s %s: %s\nfrom %q", f.Kind, f.Text, form, s.passage)
			}
		}
		for _, c := range changes(s) {
			if shares[c.kind] == nil {
				shares[c.kind] = &share{}
			}
			shares[c.kind].changed++
			if len(citation.Audit(c.text+" [1].", source).Findings) > 0 {
				shares[c.kind].found++
			} else if testing.Verbose() {
				t.Logf("no finding: %s %s in %s", c.kind, c.said, c.text)
			}
		}
	}
	t.Logf("%d sentences of %v documents, %d forms", len(sentences), documents, forms)
	digits := share{}
	for _, kind := range slices.Sorted(maps.Keys(shares)) {
		t.Logf("%s: %d of %d found", kind, shares[kind].found, shares[kind].changed)
		if !inWords[kind] {
			digits.changed += shares[kind].changed
			digits.found += shares[kind].found
		}
	}
	if documents["markdown"] < 50 || len(sentences) < 200 || digits.found*10 < digits.changed*9 {
		t.Errorf("%d sentences of %v documents; %d of %d changed numbers found", len(sentences), documents, digits.found, digits.changed)
	}
}

type passageSentence struct{ text, passage string }

const (
	maxDocuments = 20 // of a kind
	maxSentences = 6  // of a document
)

// documentSentences returns sentences of documents, and the number of documents by kind.
func documentSentences(t *testing.T) (all []passageSentence, documents map[string]int) {
	reader, err := pdf.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	opt := &rag.ReadOptions{Loaders: map[string]rag.Loader{".pdf": reader.Load}}
	documents = map[string]int{}
	for kind, paths := range documentPaths(t) {
		if len(paths) == 0 {
			t.Logf("this machine has no %s documents", kind)
		}
		for _, path := range paths {
			name, data, err := readDocument(path)
			if err != nil {
				continue // such as a folder
			}
			chunks, err := rag.Read(context.Background(), fstest.MapFS{name: {Data: data}}, opt)
			if err != nil {
				continue // such as an encoding that the file does not name
			}
			if of := sentencesOf(chunks); len(of) > 0 {
				all = append(all, of...)
				if documents[kind]++; documents[kind] >= maxDocuments && kind != "markdown" {
					break
				}
			}
		}
	}
	return all, documents
}

// documentPaths returns the paths of documents by their kinds.
func documentPaths(t *testing.T) map[string][]string {
	out, err := exec.Command("go", "list", "-deps", "-test", "-f", "{{with .Module}}{{.Dir}}{{end}}", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(out))
	slices.Sort(dirs)
	paths := map[string][]string{"html": nil, "text": nil, "pdf": nil, "german": nil}
	for _, dir := range slices.Compact(dirs) {
		if _, err := os.Stat(filepath.Join(dir, "rag", "citation")); err == nil {
			continue // of this project
		}
		for _, pattern := range []string{"*.md", "*/*.md"} {
			found, _ := filepath.Glob(filepath.Join(dir, pattern))
			paths["markdown"] = append(paths["markdown"], found...)
		}
	}
	for kind, patterns := range map[string][]string{
		"html":   {"/usr/share/doc/*/*.html", "/usr/share/doc/*/html/*.html", "/usr/share/doc/*/*/*.html"},
		"text":   {"/usr/share/doc/*/*.txt", "/usr/share/vim/vim*/doc/*.txt"},
		"pdf":    {"/usr/share/doc/*/*.pdf", "/usr/share/doc/*/*/*.pdf"},
		"german": {"/usr/share/man/de/man*/*.gz"},
	} {
		for _, pattern := range patterns {
			found, _ := filepath.Glob(pattern)
			paths[kind] = append(paths[kind], found...)
		}
	}
	return paths
}

// readDocument returns the content of a file, and a name by which rag.Read knows its kind.
// A manual page becomes a plain text.
func readDocument(path string) (name string, data []byte, err error) {
	data, err = os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return filepath.Base(path), data, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", nil, err
	}
	data, err = io.ReadAll(packed)
	text := roffRequest.ReplaceAllString(string(data), "")
	text = roffFont.ReplaceAllString(text, "")
	return "page.txt", []byte(strings.NewReplacer(`\-`, "-", `\&`, "", `\(aq`, "'", `\ `, " ", `\e`, `\`).Replace(text)), err
}

var (
	roffRequest = regexp.MustCompile(`(?m)^[.'].*$`)
	roffFont    = regexp.MustCompile(`\\f(?:\[\w*\]|\(..|.)`)
)

func sentencesOf(chunks []rag.Chunk) (all []passageSentence) {
	for _, c := range chunks {
		begin := 0
		for _, end := range sentence.Ends(c.Text) {
			text := strings.TrimRight(strings.Join(strings.Fields(c.Text[begin:end]), " "), ".")
			whole := end == len(c.Text) || strings.HasSuffix(c.Text[:end], ".") // not cut by a line or the chunk
			begin = end
			if whole && prose.MatchString(text) && !strings.Contains(text, "://") && (numbers.MatchString(text) || len(numeral.Find(text)) > 0) && len(all) < maxSentences {
				all = append(all, passageSentence{text, c.Text})
			}
		}
	}
	return all
}

var (
	// prose matches a sentence without code, links, identifiers and marks of lists.
	prose   = regexp.MustCompile("^[A-ZÄÖÜ][^`\\[\\]|#<>@_*\\\\{}=]{30,400}$")
	numbers = regexp.MustCompile(`\b\d+(?:[.,]\d+)*\b`)
)

// A change is a sentence with another number.
type change struct{ kind, said, text string }

var inWords = map[string]bool{"number word": true, "ordinal": true, "unit": true}

// changes returns a sentence with each of its numbers and units changed.
func changes(s passageSentence) (all []change) {
	add := func(kind string, begin, end int, other string) {
		all = append(all, change{kind, other + " for " + s.text[begin:end], s.text[:begin] + other + s.text[end:]})
	}
	for _, at := range numbers.FindAllStringIndex(s.text, -1) {
		if other := successor(s.text[at[0]:at[1]]); !strings.Contains(s.passage, other) {
			add(kindOf(s.text, at[0], at[1]), at[0], at[1], other)
		}
	}
	for _, n := range numeral.Find(s.text) {
		word := strings.ToLower(s.text[n.Begin:n.End])
		if other, ok := otherWords[word]; ok && !strings.Contains(strings.ToLower(s.passage), other) {
			kind := "number word"
			if n.Ordinal {
				kind = "ordinal"
			}
			add(kind, n.Begin, n.End, other)
		}
	}
	for _, at := range withUnit.FindAllStringSubmatchIndex(s.text, -1) {
		if other := otherUnits[s.text[at[4]:at[5]]]; other != "" && !strings.Contains(s.passage, other) {
			add("unit", at[4], at[5], other)
		}
	}
	return all
}

var (
	otherWords = pairs("two three four five six seven eight nine ten twelve", "second third fourth fifth",
		"zwei drei vier fünf sechs sieben acht neun zehn", "zweite dritte vierte", "zweiten dritten vierten")
	withUnit   = regexp.MustCompile(`\b(\d+|two|three|four|five|zwei|drei|vier) ?(\pL+)\b`)
	otherUnits = pairs("seconds minutes hours days weeks months years seconds", "Sekunden Minuten Stunden Tage Wochen Monate Jahre Sekunden",
		"KB MB GB KB", "ms ns", "kilobytes megabytes kilobytes", "bytes kilobytes")
)

// pairs returns the next word of each list by the one before it.
func pairs(lists ...string) map[string]string {
	all := map[string]string{}
	for _, list := range lists {
		words := strings.Fields(list)
		for i, word := range words {
			if all[word] == "" {
				all[word] = words[(i+1)%len(words)]
			}
		}
	}
	return all
}

// kindOf says what the digits in a sentence are part of.
func kindOf(text string, begin, end int) string {
	digits, before, behind := text[begin:end], text[:begin], text[end:]
	switch {
	case clockBefore.MatchString(before) || clockBehind.MatchString(behind):
		return "clock time"
	case isoDate.MatchString(text[max(0, begin-8):min(len(text), end+6)]) || monthNear.MatchString(text[max(0, begin-11):min(len(text), end+11)]):
		return "date"
	case len(digits) == 4 && "1800" < digits && digits < "2100":
		return "year"
	case strings.Count(digits, ".") > 1 || versionBefore.MatchString(before):
		return "version"
	case strings.HasPrefix(behind, "st ") || strings.HasPrefix(behind, "nd ") || strings.HasPrefix(behind, "rd ") || strings.HasPrefix(behind, "th "):
		return "ordinal"
	}
	return "amount"
}

var (
	clockBefore   = regexp.MustCompile(`\d:$`)
	clockBehind   = regexp.MustCompile(`^(?::\d\d\b| ?(?:am|pm|Uhr)\b)`)
	versionBefore = regexp.MustCompile(`(?:[Vv]ersion |\bv|\p{Lu}\pL+-)$`)
	monthNear     = regexp.MustCompile(`\b(?:Jan|Feb|Mar|Mär|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez)`)
)

// successor returns a number with another last digit.
func successor(number string) string {
	last := number[len(number)-1] - '0'
	return number[:len(number)-1] + strconv.Itoa(int(last+1)%10)
}

var (
	isoDate   = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)
	thousands = regexp.MustCompile(`(^| |[^t] )([3-9]|[1-9]\d{1,2})(\d{3}) ([a-z]+)\b`)
	percent   = regexp.MustCompile(`(\d)%`)
	counted   = regexp.MustCompile(`(^| )([2-9]|1[0-2]) (days|weeks|months|years|hours|minutes|seconds|times|bytes|bits|percent)\b`)
	spelled   = regexp.MustCompile(`\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) ([a-z]+)\b`)
	measured  = regexp.MustCompile(`\b(\d+) ?(kB|KB|MB|GB|KiB|MiB|GiB|ms|µs|ns)\b`)
	gezählt   = regexp.MustCompile(`\b([2-9]) (Tage|Wochen|Monate|Jahre|Stunden|Minuten|Sekunden|Zeichen|Byte|Bytes|Bit)\b`)
	genannt   = regexp.MustCompile(`\b(zwei|drei|vier|fünf|sechs|sieben|acht|neun) (\pL+)\b`)
	written   = regexp.MustCompile(`\b(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December) (\d{4})\b`)
)

// otherForms returns a sentence as it is, and as other people would write it.
func otherForms(text string) []string {
	words := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
	worte := strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun")
	replace := func(p *regexp.Regexp, with func(m []string) string) string {
		return p.ReplaceAllStringFunc(text, func(found string) string { return with(p.FindStringSubmatch(found)) })
	}
	atoi := func(digits string) int { n, _ := strconv.Atoi(digits); return n }
	all := []string{text}
	for _, other := range []string{
		replace(isoDate, func(m []string) string {
			if at, err := time.Parse(time.DateOnly, m[0]); err == nil {
				return at.Format("2 January 2006")
			}
			return m[0]
		}),
		replace(written, func(m []string) string {
			if at, err := time.Parse("2 January 2006", m[0]); err == nil {
				return at.Format(time.DateOnly)
			}
			return m[0]
		}),
		thousands.ReplaceAllString(text, "$1$2,$3 $4"),
		percent.ReplaceAllString(text, "$1 percent"),
		replace(counted, func(m []string) string { return m[1] + words[atoi(m[2])] + " " + m[3] }),
		replace(spelled, func(m []string) string { return strconv.Itoa(slices.Index(words, m[1])) + " " + m[2] }),
		replace(gezählt, func(m []string) string { return worte[atoi(m[1])] + " " + m[2] }),
		replace(genannt, func(m []string) string { return strconv.Itoa(slices.Index(worte, m[1])) + " " + m[2] }),
		measured.ReplaceAllString(text, "$1 $2"),
		measured.ReplaceAllString(text, "$1\u00a0$2"),
		strings.ReplaceAll(text, "tion", "ti\u00adon"),
	} {
		if other != text {
			all = append(all, other)
		}
	}
	return all
}
