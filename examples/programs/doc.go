// Package programs has five small programs, each a function that a main function or a
// server calls. Their tests run them with scripted models.
package programs
