package usertext

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"strings"
	"sync"
)

//go:embed texts/*.json
var files embed.FS

// sections are the texts of a language: the package, then the name of the text.
type sections map[string]map[string]string

// shipped has the texts of this module by language.
var shipped = sync.OnceValue(func() map[string]sections {
	own, err := fs.Sub(files, "texts")
	if err != nil {
		panic("usertext: " + err.Error()) // not reached: the name is valid
	}
	texts, err := read(own)
	if err != nil {
		panic("usertext: " + err.Error()) // not reached: a test reads the files
	}
	return texts
})

// read returns the texts of all files, such as de.json, by language.
func read(files fs.FS) (map[string]sections, error) {
	names, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	texts := map[string]sections{}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var s sections
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		texts[Base(strings.TrimSuffix(path.Base(name), ".json"))] = s
	}
	return texts, nil
}

// Texts are the texts of a host.
type Texts struct {
	languages map[string]sections // complete: with the texts of this module
}

// Read returns the texts of the files of a host, which are named by language, such
// as fr.json. A file has the form of texts/en.json. The texts that it does not have
// are those of this module, in English if the module does not have the language.
func Read(files fs.FS) (*Texts, error) {
	own, err := read(files)
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		return nil, errors.New("there is no file such as fr.json")
	}
	t := &Texts{languages: map[string]sections{}}
	for language, texts := range own {
		all := sections{}
		for section, english := range shipped()[English] {
			all[section] = maps.Clone(english)
			maps.Copy(all[section], shipped()[language][section])
		}
		for section, named := range texts {
			for name, text := range named {
				if _, ok := all[section][name]; !ok {
					return nil, fmt.Errorf("%s.json: there is no text %s.%s", language, section, name)
				}
				all[section][name] = text
			}
		}
		t.languages[language] = all
	}
	return t, nil
}

type textsKey struct{}

// With returns a context in which sections have the texts of a host.
func With(ctx context.Context, texts *Texts) context.Context {
	return context.WithValue(ctx, textsKey{}, texts)
}

// A Section has the texts of a package by language. T is a struct whose fields are
// strings.
type Section[T any] struct {
	name    string
	shipped map[string]*T
}

// Of returns the texts of a section. It panics if T has not exactly its names.
func Of[T any](section string) *Section[T] {
	t := &Section[T]{name: section, shipped: map[string]*T{}}
	for language, texts := range shipped() {
		t.shipped[language] = fill[T](section, texts[section])
	}
	return t
}

// In returns the texts of a language, or those in English if there are none.
func (t *Section[T]) In(ctx context.Context, language string) *T {
	language = Base(language)
	if own, ok := ctx.Value(textsKey{}).(*Texts); ok && own.languages[language] != nil {
		return fill[T](t.name, own.languages[language][t.name])
	}
	if texts, ok := t.shipped[language]; ok {
		return texts
	}
	return t.shipped[English]
}

// questions are the texts about questions, which the runtime and commands show.
var questions = Of[struct{ HowToApprove string }]("question")

// HowToApprove returns which replies an approval takes.
func HowToApprove(ctx context.Context, language string) string {
	return questions.In(ctx, language).HowToApprove
}

// fill returns a struct of texts by their names.
func fill[T any](section string, named map[string]string) *T {
	texts := new(T)
	fields := reflect.ValueOf(texts).Elem()
	if fields.NumField() != len(named) {
		panic(fmt.Sprintf("usertext: %s has %d texts, and %T has %d", section, len(named), *texts, fields.NumField()))
	}
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		text, ok := named[name]
		if !ok {
			panic(fmt.Sprintf("usertext: there is no text %s.%s", section, name))
		}
		fields.Field(i).SetString(text)
	}
	return texts
}
