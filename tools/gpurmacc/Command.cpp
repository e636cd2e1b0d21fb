// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Command.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace gpurma::driver {

namespace {

// What a signal handler may read: plain storage that is written only in the order that the handler can bear.
constexpr std::size_t MaxTemporaries = 4096;
std::atomic<char *> Temporaries[MaxTemporaries];
std::atomic<std::size_t> TemporaryCount{0};
std::atomic<pid_t> Child{0};
volatile std::sig_atomic_t StopSignal = 0;

void removePath(const char *Path) {
  if (::unlink(Path) != 0 && (errno == EISDIR || errno == EPERM))
    ::rmdir(Path);
}

// Last registered, first removed: a folder goes after what lies in it.
void removeTemporaries() {
  for (std::size_t I = TemporaryCount.load(); I-- > 0;)
    if (const char *Path = Temporaries[I].load())
      removePath(Path);
}

// SIGPIPE: whoever reads what gpurmacc prints has had enough.
constexpr int StopSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr int CrashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

void onStop(int Signal) {
  int SavedErrno = errno;
  StopSignal = Signal;
  if (pid_t Pid = Child.load()) {
    // run() returns when the child has ended, and the ordinary clean-up follows.
    ::kill(Pid, Signal);
    errno = SavedErrno;
    return;
  }
  removeTemporaries();
  ::_exit(128 + Signal);
}

void onCrash(int Signal) {
  static const char Message[] =
      "gpurmacc: internal error: please report the source and the command line\n";
  [[maybe_unused]] ssize_t Written = ::write(STDERR_FILENO, Message, sizeof(Message) - 1);
  removeTemporaries();
  // SA_RESETHAND: the default action ends the process with this signal's status.
  ::raise(Signal);
}

void installHandlers() {
  struct sigaction Action = {};
  sigemptyset(&Action.sa_mask);
  Action.sa_handler = onStop;
  for (int Signal : StopSignals) {
    struct sigaction Old = {};
    // nohup and background shells ignore signals on purpose.
    if (::sigaction(Signal, nullptr, &Old) == 0 && Old.sa_handler != SIG_IGN)
      ::sigaction(Signal, &Action, nullptr);
  }
  Action.sa_handler = onCrash;
  Action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (int Signal : CrashSignals)
    ::sigaction(Signal, &Action, nullptr);
}

} // namespace

void print(const Command &Cmd, llvm::raw_ostream &OS) {
  bool First = true;
  for (const std::string &Word : Cmd.Words) {
    if (!First)
      OS << ' ';
    First = false;
    bool Plain = !Word.empty() &&
                 Word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_@%+=:,./-") == std::string::npos;
    if (Plain) {
      OS << Word;
      continue;
    }
    OS << '\'';
    for (char C : Word) {
      if (C == '\'')
        OS << "'\\''";
      else
        OS << C;
    }
    OS << '\'';
  }
  OS << '\n';
}

int run(const Command &Cmd, const std::string &Errors) {
  if (int Code = interrupted())
    return Code;
  std::vector<char *> Argv;
  for (const std::string &Word : Cmd.Words)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);

  llvm::outs().flush();
  // A stop signal between the start of the child and the note of its number would miss it.
  sigset_t Blocked, Before;
  sigemptyset(&Blocked);
  for (int Signal : StopSignals)
    sigaddset(&Blocked, Signal);
  ::sigprocmask(SIG_BLOCK, &Blocked, &Before);
  posix_spawnattr_t Attributes;
  ::posix_spawnattr_init(&Attributes);
  ::posix_spawnattr_setsigmask(&Attributes, &Before);
  ::posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t Files;
  ::posix_spawn_file_actions_init(&Files);
  if (!Errors.empty())
    ::posix_spawn_file_actions_addopen(&Files, STDERR_FILENO, Errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  pid_t Pid = 0;
  int Error = ::posix_spawnp(&Pid, Argv[0], &Files, &Attributes, Argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&Files);
  ::posix_spawnattr_destroy(&Attributes);
  if (Error == 0)
    Child = Pid;
  ::sigprocmask(SIG_SETMASK, &Before, nullptr);
  if (Error != 0) {
    llvm::errs() << "gpurmacc: error: cannot run " << Cmd.Words[0] << ": " << std::strerror(Error)
                 << '\n';
    return 127;
  }

  int Status = 0;
  pid_t Ended;
  do
    Ended = ::waitpid(Pid, &Status, 0);
  while (Ended < 0 && errno == EINTR);
  Child = 0;
  if (int Code = interrupted())
    return Code;
  if (Ended < 0) {
    llvm::errs() << "gpurmacc: error: cannot wait for " << Cmd.Words[0] << ": "
                 << std::strerror(errno) << '\n';
    return 127;
  }
  if (WIFSIGNALED(Status)) {
    llvm::errs() << "gpurmacc: error: " << Cmd.Words[0] << ": " << strsignal(WTERMSIG(Status))
                 << '\n';
    return 128 + WTERMSIG(Status);
  }
  return WEXITSTATUS(Status);
}

std::string capture(const Command &Cmd) {
  llvm::SmallString<128> Output;
  if (llvm::sys::fs::createTemporaryFile("gpurmacc", "txt", Output))
    return {};
  std::optional<llvm::StringRef> Redirects[] = {llvm::StringRef(), llvm::StringRef(Output),
                                                llvm::StringRef()};
  std::vector<llvm::StringRef> Words(Cmd.Words.begin(), Cmd.Words.end());
  std::string Text;
  if (llvm::sys::ExecuteAndWait(Cmd.Words[0], Words, std::nullopt, Redirects) == 0)
    if (auto Buffer = llvm::MemoryBuffer::getFile(Output))
      Text = (*Buffer)->getBuffer().str();
  llvm::sys::fs::remove(Output);
  return Text;
}

TemporaryFiles::TemporaryFiles() { installHandlers(); }

TemporaryFiles::~TemporaryFiles() {
  removeTemporaries();
  for (const std::string &Folder : Folders)
    llvm::sys::fs::remove_directories(Folder);
}

void TemporaryFiles::addFolder(llvm::StringRef Path) {
  add(Path);
  Folders.push_back(Path.str());
}

void TemporaryFiles::add(llvm::StringRef Path) {
  std::size_t Index = TemporaryCount.load();
  if (Index == MaxTemporaries) {
    llvm::errs() << "gpurmacc: error: more than " << MaxTemporaries
                 << " files in one command: compile the inputs one by one\n";
    std::exit(1);
  }
  Temporaries[Index] = ::strdup(Path.str().c_str());
  TemporaryCount = Index + 1;
}

void TemporaryFiles::release(llvm::StringRef Path) {
  for (std::size_t I = TemporaryCount.load(); I-- > 0;)
    if (const char *Known = Temporaries[I].load(); Known && Path == Known)
      Temporaries[I] = nullptr;
}

int interrupted() { return StopSignal ? 128 + StopSignal : 0; }

} // namespace gpurma::driver
