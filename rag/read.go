package rag

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/option"
)

var (
	// ErrNoDocuments is matched by the error of [Read] if no file contains text.
	ErrNoDocuments = errors.New("no documents")
	// ErrEmpty is matched by the error for a file without text.
	ErrEmpty = errors.New("no text in it: remove the file, or convert scanned pages to text first")
	// ErrBinary is matched by the error for a file that has a text file's name and
	// binary content.
	ErrBinary = errors.New("not text but binary data: rename the file, or add a loader to ReadOptions.Loaders")
	// ErrNotUTF8 is matched by the error for a text that is neither valid UTF-8 nor in
	// the encoding that it names.
	ErrNotUTF8 = errors.New("not valid UTF-8, nor in an encoding that the file names: convert the file")
	// ErrEncrypted is matched by the error for a file that needs a password.
	ErrEncrypted = errors.New("encrypted: save the file without a password")
	// ErrTooLarge is matched by the error for a file that exceeds, alone or with
	// the files before it, a limit of [ReadOptions].
	ErrTooLarge = errors.New("too large: raise ReadOptions.MaxFileBytes or MaxBytes")
)

// A DocumentError says why a document could not be read or added to an index.
type DocumentError struct {
	Document string
	Err      error
}

func (e *DocumentError) Error() string { return "rag: " + e.Document + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *DocumentError) Unwrap() error { return e.Err }

// ReadOptions are the options of [Read]. A nil ReadOptions and zero fields mean
// the defaults. A negative number is an error.
type ReadOptions struct {
	// ChunkBytes limits the text of one chunk. 0 means 1200 bytes, about 300
	// tokens; the least is 100. Embedding models ignore the rest of a longer text,
	// some after 256 tokens.
	ChunkBytes int
	// MaxFileBytes limits the size of one file, and of the text in it, which is
	// larger in a compressed file. 0 means 16 MiB; the most is 1 GiB.
	MaxFileBytes int
	// MaxBytes limits the size of all files together. 0 means 256 MiB; the most is
	// 1 GiB.
	MaxBytes int
	// Loaders are loaders for other files, or in place of the built-in ones, by
	// the ends of file names in lower case, such as ".pdf".
	Loaders map[string]Loader
	// Metadata returns metadata for the chunks of a file, in addition to that of
	// its loader. Nil means none.
	Metadata func(name string) map[string]string
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

const (
	defaultChunkBytes = 1200
	minChunkBytes     = 100
	maxReadBytes      = 1 << 30
)

func (o *ReadOptions) withDefaults() (ReadOptions, error) {
	v := option.Of(o)
	err := cmp.Or(
		option.Default("rag: ReadOptions.ChunkBytes", &v.ChunkBytes, defaultChunkBytes),
		option.Default("rag: ReadOptions.MaxFileBytes", &v.MaxFileBytes, 16<<20),
		option.Default("rag: ReadOptions.MaxBytes", &v.MaxBytes, 256<<20),
		atMost("rag: ReadOptions.MaxFileBytes", v.MaxFileBytes, maxReadBytes),
		atMost("rag: ReadOptions.MaxBytes", v.MaxBytes, maxReadBytes),
	)
	if err == nil && v.ChunkBytes < minChunkBytes {
		err = fmt.Errorf("rag: ReadOptions.ChunkBytes is %d: it cannot be less than %d", v.ChunkBytes, minChunkBytes)
	}
	return v, err
}

// Read splits the files of a file system into chunks, in the order of their paths.
// It reads Markdown (.md, .markdown), plain text (.txt, .text), HTML (.html, .htm)
// and the files of [ReadOptions.Loaders] in all folders. It skips other files, and
// files and folders whose names begin with a dot. Front matter of Markdown is not
// part of the chunks. Texts are in UTF-8, in UTF-16 with a byte order mark, or HTML in the
// encoding that it declares; the offsets of [Span] are then those of the text in UTF-8.
//
// If files cannot be read, Read returns the chunks of the others and an error that
// joins a [*DocumentError] for each. A DocumentError matches [ErrEmpty], [ErrBinary],
// [ErrNotUTF8], [ErrEncrypted] or [ErrTooLarge], and otherwise an error of the
// loader or the file system. If there are no chunks and no such errors, the error
// matches [ErrNoDocuments].
//
// Symbolic links to files are followed, links to folders are not. If the files
// are not your own, use [os.Root.FS], which keeps links within the folder.
func Read(ctx context.Context, files fs.FS, opt *ReadOptions) ([]Chunk, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	var chunks []Chunk
	var failed []error
	left := o.MaxBytes
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if name == "." {
				return err
			}
			failed = append(failed, &DocumentError{Document: name, Err: bare(err)})
			return nil
		}
		hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
		load := o.loader(name)
		switch {
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case entry.IsDir() || hidden || load == nil:
			return nil
		}
		data, err := readFile(files, name, min(o.MaxFileBytes, left))
		left -= len(data)
		if err == nil && data != nil {
			var some []Chunk
			some, err = o.chunks(ctx, name, data, load)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			chunks = append(chunks, some...)
		}
		if err != nil {
			failed = append(failed, &DocumentError{Document: name, Err: err})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	if len(chunks)+len(failed) == 0 {
		return nil, fmt.Errorf("rag: %w: no file has a known name, such as manual.md", ErrNoDocuments)
	}
	return chunks, errors.Join(failed...)
}

// loader returns the loader for a file, or nil if there is none.
func (o ReadOptions) loader(name string) Loader {
	ext := ascii.Lower(path.Ext(name))
	if load := o.Loaders[ext]; load != nil {
		return load
	}
	return loaders[ext]
}

// chunks returns the chunks of a file.
func (o ReadOptions) chunks(ctx context.Context, name string, data []byte, load Loader) ([]Chunk, error) {
	if ext := ascii.Lower(path.Ext(name)); o.Loaders[ext] == nil {
		var err error
		if data, err = decoded(data, strings.HasPrefix(ext, ".htm")); err != nil {
			return nil, err
		}
	}
	d, err := load(ctx, data)
	if err != nil {
		return nil, err
	}
	if len(d.Text) > o.MaxFileBytes {
		return nil, ErrTooLarge
	}
	d.Name = name
	if o.Metadata != nil {
		all := maps.Clone(d.Metadata)
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, o.Metadata(name))
		d.Metadata = all
	}
	chunks := Split(d, o.ChunkBytes)
	if len(chunks) == 0 {
		return nil, ErrEmpty
	}
	return chunks, nil
}

// decoded returns a text in UTF-8. Another encoding is used only if the text names it: by
// a byte order mark, or as a page does in its head.
func decoded(data []byte, isHTML bool) ([]byte, error) {
	var from encoding.Encoding
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		from = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case isHTML && !utf8.Valid(data):
		if named := declared.FindSubmatch(data[:min(len(data), 1024)]); named != nil {
			from, _ = htmlindex.Get(string(named[1]) + string(named[2]))
		}
	}
	if from != nil {
		text, err := from.NewDecoder().Bytes(data)
		if err != nil || bytes.ContainsRune(text, utf8.RuneError) {
			return nil, ErrNotUTF8
		}
		data = text
	}
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return nil, ErrBinary
	case !utf8.Valid(data):
		return nil, ErrNotUTF8
	}
	return data, nil
}

// declared matches where a page names its encoding.
var declared = regexp.MustCompile(`(?i)<meta[^>]+charset\s*=\s*["']?([\w:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)`)

// readFile reads a regular file of at most limit bytes. It returns nil for anything
// else, such as a link to a folder.
func readFile(files fs.FS, name string, limit int) (data []byte, err error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return nil, bare(err)
	case !info.Mode().IsRegular(): // opening a pipe would block until somebody writes
		return nil, nil
	case info.Size() > int64(limit):
		return nil, ErrTooLarge
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	switch {
	case err != nil:
		return nil, bare(err)
	case len(data) > limit:
		return nil, ErrTooLarge
	}
	return data, nil
}

// bare returns the cause of an error that names a path: a DocumentError names it
// already.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
