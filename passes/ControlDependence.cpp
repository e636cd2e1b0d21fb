// Part of gpurma, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ControlDependence.h"

#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpurma {

std::vector<std::vector<unsigned>> controlDependencies(const CFG &G) {
  unsigned N = G.getNumBlockIDs();
  std::vector<std::vector<unsigned>> Succs(N);
  bool Prune = !G.getEntry().isInevitablySinking();
  for (const CFGBlock *B : G)
    for (const CFGBlock *S : B->succs())
      if (S && !(Prune && S->isInevitablySinking()))
        Succs[B->getBlockID()].push_back(S->getBlockID());

  unsigned Exit = G.getExit().getBlockID();
  // A loop without an end has no post-dominators; it leaves from its last block as far as this is
  // concerned.
  llvm::BitVector Ends(N);
  Ends.set(Exit);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned B = 0; B != N; ++B)
      if (!Ends.test(B) && llvm::any_of(Succs[B], [&](unsigned S) { return Ends.test(S); })) {
        Ends.set(B);
        Changed = true;
      }
  }
  std::vector<unsigned> Position(N);
  unsigned Next = 0;
  for (const CFGBlock *B : PostOrderCFGView(&G))
    Position[B->getBlockID()] = Next++;
  for (unsigned B = 0; B != N; ++B)
    if (!Ends.test(B) &&
        llvm::any_of(Succs[B], [&](unsigned S) { return Position[S] <= Position[B]; }))
      Succs[B].push_back(Exit);

  std::vector<llvm::BitVector> PostDoms(N, llvm::BitVector(N, true));
  PostDoms[Exit].reset();
  PostDoms[Exit].set(Exit);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned B = 0; B != N; ++B) {
      if (B == Exit || Succs[B].empty())
        continue;
      llvm::BitVector New(N, true);
      for (unsigned S : Succs[B])
        New &= PostDoms[S];
      New.set(B);
      if (New != PostDoms[B]) {
        PostDoms[B] = std::move(New);
        Changed = true;
      }
    }
  }

  // D depends on B if it post-dominates a successor of B but not B itself; then transitively,
  // nearest first.
  std::vector<std::vector<unsigned>> Direct(N);
  for (unsigned B = 0; B != N; ++B) {
    if (Succs[B].size() < 2)
      continue;
    for (unsigned D = 0; D != N; ++D) {
      bool OfSome = llvm::any_of(Succs[B], [&](unsigned S) { return PostDoms[S].test(D); });
      if (OfSome && (D == B || !PostDoms[B].test(D)))
        Direct[D].push_back(B);
    }
  }
  std::vector<std::vector<unsigned>> All(N);
  for (unsigned D = 0; D != N; ++D) {
    llvm::BitVector Seen(N);
    for (unsigned B : Direct[D]) {
      Seen.set(B);
      All[D].push_back(B);
    }
    for (size_t I = 0; I < All[D].size(); ++I)
      for (unsigned B : Direct[All[D][I]])
        if (!Seen.test(B)) {
          Seen.set(B);
          All[D].push_back(B);
        }
  }
  return All;
}

} // namespace gpurma
