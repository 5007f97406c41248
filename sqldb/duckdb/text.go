package duckdb

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/textfile"
	"github.com/qedkit/qed/sqldb"
)

// maxDepth is how deep the values of a JSON file may be nested. Recursive functions of
// DuckDB overflow the stack of the process at about 50,000 levels.
const maxDepth = 1000

// textOptions returns the options to read a file of CSV or JSON, as a list that
// begins with a comma. It looks at the beginning of the file, and at all of a JSON
// file.
func textOptions(path string) (string, error) {
	name := filepath.Base(path)
	f, err := os.Open(path)
	if err != nil {
		return "", failure.Wrap(sqldb.ErrUnreadable, name+" cannot be opened", errors.Unwrap(err))
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(ascii.Lower(path), ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return "", failure.Wrap(sqldb.ErrNotDatabase, name+" is not compressed with gzip: check its ending", err)
		}
	}
	head := make([]byte, textfile.HeadBytes)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", failure.Wrap(sqldb.ErrUnreadable, name+" cannot be read", err)
	}
	head = head[:n]
	isJSON := strings.HasPrefix(readerOf(path), "read_json")
	is := textfile.Foreign(head)
	switch {
	case is != "":
		return "", failure.New(sqldb.ErrNotDatabase, name+" is "+is+": save it as CSV or JSON in UTF-8")
	case textfile.IsUTF16(head):
		return "", failure.New(sqldb.ErrNotDatabase, name+" is UTF-16: save it in UTF-8")
	case !isJSON && bytes.IndexByte(head, 0) >= 0:
		return "", failure.New(sqldb.ErrNotDatabase, name+" has NUL bytes: remove them")
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	switch {
	case len(text) == 0:
		return "", failure.New(sqldb.ErrNotDatabase, name+" is empty: it needs at least a line with names")
	case isJSON:
		err := checkDepth(io.MultiReader(bytes.NewReader(head), r))
		if errors.Is(err, errDepth) {
			return "", failure.New(sqldb.ErrNotDatabase, name+" has values that are nested too deeply: write deep values as texts")
		} else if err != nil {
			return "", failure.Wrap(sqldb.ErrUnreadable, name+" cannot be read", err)
		}
		if text[0] == '[' { // DuckDB finds that itself, but not after a byte order mark
			return ", format = 'array'", nil
		}
		return "", nil
	}
	sign, named := textfile.Separator(text)
	options := ", delim = " + literal(string(sign)) + ", skip = 0"
	if named {
		options = ", delim = " + literal(string(sign)) + ", skip = 1"
	}
	return options, nil
}

var errDepth = errors.New("nested too deeply")

// checkDepth reads JSON and returns errDepth if more than maxDepth brackets are open.
func checkDepth(r io.Reader) error {
	depth, quoted, escaped := 0, false, false
	buffer := make([]byte, textfile.HeadBytes)
	for {
		n, err := r.Read(buffer)
		for _, b := range buffer[:n] {
			switch {
			case escaped:
				escaped = false
			case quoted:
				escaped, quoted = b == '\\', b != '"'
			case b == '"':
				quoted = true
			case b == '[' || b == '{':
				if depth++; depth > maxDepth {
					return errDepth
				}
			case b == ']' || b == '}':
				depth--
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
