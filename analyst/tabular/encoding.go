package tabular

import (
	"bufio"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// encodings are those that a text may have that is not UTF-8, the likeliest first. Of those
// in which it reads equally well the first is taken.
var encodings = []string{
	"windows-1252", "windows-1250", "macintosh", "windows-1251", "koi8-r", "shift_jis", "gbk", "big5", "euc-jp", "euc-kr",
}

// sampleBytes of lines with other characters than ASCII show the encoding.
const sampleBytes = 16 << 10

// decode copies a file that is not UTF-8 to one that is.
func (l *loader) decode(plain *os.File) error {
	name := l.opt.Encoding
	if name == "" {
		sample, err := l.sample(plain)
		if err != nil {
			return err
		}
		sure := false
		if name, sure = encodingOf(sample); name == "" {
			return optionf("Encoding", ErrFormat, 0, func(t *texts) string { return t.UnclearEncoding })
		}
		if sure {
			l.warn(Warning{Kind: Encoding}, l.texts.Encoding, "encoding", name)
		} else {
			l.warn(Warning{Kind: Encoding, Option: "Encoding"}, l.texts.GuessedEncoding, "encoding", name)
		}
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return argument("Encoding", strconv.Quote(name))
	}
	l.text = filepath.Join(l.dir, "text")
	text, err := os.Create(l.text)
	if err != nil {
		return storage(err)
	}
	defer text.Close()
	if _, err = plain.Seek(0, io.SeekStart); err == nil {
		in := &limited{ctx: l.ctx, r: plain, max: math.MaxInt64}
		_, err = io.Copy(text, e.NewDecoder().Reader(in))
	}
	if err != nil {
		return l.copyError(err)
	}
	return nil
}

// sample returns lines with other characters than ASCII.
func (l *loader) sample(plain *os.File) (sample []byte, err error) {
	if _, err := plain.Seek(0, io.SeekStart); err != nil {
		return nil, l.copyError(err)
	}
	in := bufio.NewReaderSize(&limited{ctx: l.ctx, r: plain, max: math.MaxInt64}, readBytes)
	for len(sample) < sampleBytes {
		line, err := in.ReadSlice('\n')
		if strings.IndexFunc(string(line), func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			sample = append(sample, line[:min(len(line), sampleBytes)]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, l.copyError(err)
		}
	}
	return sample, nil
}

// encodingOf finds the encoding of a text, and whether it is sure. Without any that reads well
// the name is empty.
func encodingOf(sample []byte) (name string, sure bool) {
	const certain = 0.9
	if found := chardet.Detect(sample); found.Confidence >= certain {
		if e, err := htmlindex.Get(found.Encoding); err == nil && oddities(sample, e) == 0 {
			name, err := htmlindex.Name(e)
			return name, err == nil
		}
	}
	best, least, text := "", math.MaxInt, ""
	rivals := 0
	for _, name := range encodings {
		e, err := htmlindex.Get(name)
		if err != nil {
			continue
		}
		n := oddities(sample, e)
		decoded, _ := e.NewDecoder().Bytes(sample)
		if n == 0 && strings.ContainsFunc(string(decoded), isHiragana) {
			return name, true
		}
		switch {
		case n < least:
			best, least, text, rivals = name, n, string(decoded), 0
		case n == least && string(decoded) != text:
			rivals++
		}
	}
	// A tenth of the characters may be odd in a text of a European language. In others the
	// rivals are as many as the letters that they confuse.
	european := best == "windows-1252" || best == "windows-1250" || best == "macintosh"
	if best == "" || least*10 > len(sample) || rivals > 0 && !european {
		return "", false
	}
	return best, least == 0 && rivals == 0
}

func isHiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// oddities counts what seldom stands in a text that is decoded rightly: characters that do not
// exist, signs and capital letters within words of small ones, and letters of two scripts side
// by side.
func oddities(sample []byte, e encoding.Encoding) (n int) {
	decoded, err := e.NewDecoder().Bytes(sample)
	if err != nil {
		return math.MaxInt
	}
	text := []rune(string(decoded))
	at := func(i int) rune {
		if i < 0 || i >= len(text) {
			return ' '
		}
		return text[i]
	}
	for i, r := range text {
		before, after := at(i-1), at(i+1)
		if r <= unicode.MaxASCII {
			continue
		}
		switch {
		case r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Co, r):
			n += 3
		case !unicode.IsLetter(r):
			within := unicode.IsLetter(after) && r != '’' && r != '·'
			if unicode.IsLetter(before) && (within || strings.ContainsRune("§¤¬¦¶¨¯¸´", r)) {
				n++
			}
		case unicode.IsUpper(r) && unicode.IsLetter(before) && (unicode.IsLower(before) || unicode.IsLower(after)), otherScript(r, before), otherScript(r, after):
			n++
		}
	}
	return n
}

var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Hangul}

// otherScript reports whether two letters are of different scripts.
func otherScript(a, b rune) bool {
	if !unicode.IsLetter(a) || !unicode.IsLetter(b) {
		return false
	}
	return slices.ContainsFunc(scripts, func(script *unicode.RangeTable) bool { return unicode.Is(script, a) != unicode.Is(script, b) })
}
