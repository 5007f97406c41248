package rag

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/option"
)

var (
	// ErrNoDocuments is matched by the error of [Read] if no Markdown file contains
	// text, and of [NewIndex] if there are no chunks.
	ErrNoDocuments = errors.New("no documents")
	// ErrNotUTF8 is matched by the error of [Read] for a file that is not valid
	// UTF-8.
	ErrNotUTF8 = errors.New("not valid UTF-8")
	// ErrTooLarge is matched by the error of [Read] if a file, or all files
	// together, exceed a limit of [ReadOptions].
	ErrTooLarge = errors.New("too large")
)

// ReadOptions are the limits of [Read]. A nil ReadOptions and zero fields mean
// the defaults. A negative number is an error.
type ReadOptions struct {
	// ChunkBytes limits the text of one chunk. 0 means 1200 bytes, about 300
	// tokens; the least is 100. Embedding models ignore the rest of a longer text,
	// some after 256 tokens.
	ChunkBytes int
	// MaxFileBytes limits the size of one file. 0 means 1 MiB; the most is 1 GiB.
	MaxFileBytes int
	// MaxBytes limits the size of all files together. 0 means 64 MiB; the most is
	// 1 GiB.
	MaxBytes int
}

const (
	minChunkBytes = 100
	maxReadBytes  = 1 << 30
)

func (o *ReadOptions) withDefaults() (ReadOptions, error) {
	var v ReadOptions
	if o != nil {
		v = *o
	}
	err := cmp.Or(
		option.Default("rag: ReadOptions.ChunkBytes", &v.ChunkBytes, 1200),
		option.Default("rag: ReadOptions.MaxFileBytes", &v.MaxFileBytes, 1<<20),
		option.Default("rag: ReadOptions.MaxBytes", &v.MaxBytes, 64<<20),
		atMost("rag: ReadOptions.MaxFileBytes", v.MaxFileBytes, maxReadBytes),
		atMost("rag: ReadOptions.MaxBytes", v.MaxBytes, maxReadBytes),
	)
	if err == nil && v.ChunkBytes < minChunkBytes {
		err = fmt.Errorf("rag: ReadOptions.ChunkBytes is %d: it cannot be less than %d", v.ChunkBytes, minChunkBytes)
	}
	return v, err
}

// Read splits the Markdown files of a file system into chunks, in the order of
// their paths. It reads the files in all folders whose names end in .md or
// .markdown, and skips files and folders whose names begin with a dot. Front
// matter is not part of the chunks.
//
// If a file cannot be read, the error names it. The error matches [ErrTooLarge],
// [ErrNotUTF8] or [ErrNoDocuments] for what Read checks, and otherwise the file
// system's error.
//
// Symbolic links to files are followed, links to folders are not. If the files
// are not your own, use [os.Root.FS], which keeps links within the folder.
func Read(files fs.FS, opt *ReadOptions) ([]Chunk, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	var chunks []Chunk
	left := o.MaxBytes
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("rag: %w", err) // it names the file
		}
		hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
		switch {
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case entry.IsDir() || hidden || !isMarkdown(name):
			return nil
		}
		text, err := readFile(files, name, min(o.MaxFileBytes, left))
		if err != nil {
			return fmt.Errorf("rag: %s: %w", name, err)
		}
		left -= len(text)
		chunks = append(chunks, split(name, text, o.ChunkBytes)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(chunks) == 0 {
		return nil, fmt.Errorf("rag: %w: no .md file contains text", ErrNoDocuments)
	}
	return chunks, nil
}

func isMarkdown(name string) bool {
	ext := ascii.Lower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// readFile reads a regular file of at most limit bytes. It returns no text for
// anything else, such as a link to a folder.
func readFile(files fs.FS, name string, limit int) (text string, err error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return "", bare(err)
	}
	if !info.Mode().IsRegular() { // opening a pipe would block until somebody writes
		return "", nil
	}
	f, err := files.Open(name)
	if err != nil {
		return "", bare(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	switch {
	case err != nil:
		return "", bare(err)
	case len(raw) > limit:
		return "", fmt.Errorf("%w: raise ReadOptions.MaxFileBytes or MaxBytes", ErrTooLarge)
	case !utf8.Valid(raw):
		return "", ErrNotUTF8
	}
	return string(raw), nil
}

// bare returns the cause of an error that names a path: Read names it already.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
