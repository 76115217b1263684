// Compiled by real/go: a program with Go's runtime that writes a file in C, writes one in Go, and starts programs that read both.
// Status 4.
package main

/*
#include <stdio.h>
static void say(void) { FILE *file = fopen("c.txt", "w"); fputs("from C\n", file); fclose(file); }
*/
import "C"
import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	C.say()
	os.WriteFile("go.txt", []byte("from Go\n"), 0644)
	out, err := exec.Command("cat", "go.txt").Output()
	fmt.Print(string(out), err, "\n")
	shell := exec.Command("sh", "-c", "cat c.txt; exit 3")
	shell.Stdout = os.Stdout
	fmt.Println(shell.Run())
	os.Exit(4)
}
