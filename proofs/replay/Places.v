(** Where elements go: what stands between the cells of a buffer and the indices of a term inside of it, a layer for each lemma. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Closing.
Import ListNotations.
Open Scope Z_scope.

(** [Row i]: the index of a loop, in front. [Kept n d]: the first index moved down by [d], and kept if it is below [n] then. The others are
    as in the lemmas. *)
Inductive layer :=
| Row (i : term) | Swapped | Front | Back | Merged (m : term) | Divided (d : term) | Raised (d : term) | From (o : Z)
| Kept (n : term) (d : option term) | Slant (n : term) | Upright (n m : term).

Section Meaning.
Variable c : context.
Notation val := (Index.value c []).

Definition move (x : layer) : index -> index :=
  match x with
  | Row i => cons (val i)
  | Swapped => swap
  | Front => front_3
  | Back => back_3
  | Merged m => merge (val m)
  | Divided d => Reshape.cut (val d)
  | Raised d => Reshape.moved (fun i => i + val d)
  | From o => from o
  | Kept _ None => Reshape.moved (fun i => i)
  | Kept _ (Some d) => Reshape.moved (fun i => i - val d)
  | Slant n => slanted (val n)
  | Upright n _ => upright (val n)
  end.

Definition keep (x : layer) (C : index -> bool) : index -> bool :=
  match x with
  | Kept n None => under (val n) (fun i => i) C
  | Kept n (Some d) => under (val n) (fun i => i - val d) C
  | Upright n m => along (val n) (val m) C
  | x => fun l => C (move x l)
  end.

(** The outermost layer is the last one. *)
Fixpoint place_of (s : list term) (xs : list layer) : index -> Z :=
  match xs with [] => flat (map val s) | x :: xs => fun l => place_of s xs (move x l) end.
Fixpoint kept_of (xs : list layer) : index -> bool :=
  match xs with [] => all | x :: xs => keep x (kept_of xs) end.
End Meaning.

(** * As terms *)
Definition diagonal_term (n m d : term) : term :=
  Op Min (Op Min (Op Add d (Lit 1)) n) (Op Min m (Op Sub (Op Sub (Op Add n m) (Lit 1)) d)).

Definition move_terms (x : layer) (is : list term) : list term :=
  match x, is with
  | Row i, is => i :: is
  | Swapped, i :: j :: is => j :: i :: is
  | Front, i :: j :: k :: is => k :: i :: j :: is
  | Back, i :: j :: k :: is => j :: k :: i :: is
  | Merged m, i :: j :: is => Op Add (Op Mul i m) j :: is
  | Divided d, i :: is => Op Div i d :: Op Mod i d :: is
  | Raised d, i :: is => Op Add i d :: is
  | From o, i :: is => Op Add (Lit o) i :: is
  | Kept _ (Some d), i :: is => Op Sub i d :: is
  | Slant n, i :: j :: is => Op Sub (Op Add (Op Sub j i) n) (Lit 1) :: Op Min i j :: is
  | Upright n _, d :: q :: is =>
      Op Add (Op Max (Lit 0) (Op Sub (Op Sub n (Lit 1)) d)) q :: Op Add (Op Max (Lit 0) (Op Add (Op Sub d n) (Lit 1))) q :: is
  | _, is => is
  end.

Definition keep_term (x : layer) (is : list term) (rest : predicate) : predicate :=
  match x with
  | Kept n _ => match move_terms x is with i :: _ => And (inside i n) rest | [] => False_ end
  | Upright n m => match is with d :: q :: _ => And (Cmp Lt q (diagonal_term n m d)) rest | _ => False_ end
  | _ => rest
  end.

Fixpoint cell_term (s : list term) (xs : list layer) (is : list term) : term :=
  match xs with [] => flat_term s is | x :: xs => cell_term s xs (move_terms x is) end.
Fixpoint kept_term (xs : list layer) (is : list term) : predicate :=
  match xs with [] => True_ | x :: xs => keep_term x is (kept_term xs (move_terms x is)) end.

Definition lift_layer (x : layer) : layer :=
  match x with
  | Row i => Row (lift i)
  | Merged m => Merged (lift m)
  | Divided d => Divided (lift d)
  | Raised d => Raised (lift d)
  | Kept n d => Kept (lift n) (option_map lift d)
  | Slant n => Slant (lift n)
  | Upright n m => Upright (lift n) (lift m)
  | x => x
  end.

(** * They are the same *)
Lemma move_value c x is : map (Index.value c []) (move_terms x is) = move c x (map (Index.value c []) is).
Proof. destruct x as [i| | | |m|d|d|o|n [d|]|n|n m], is as [|i1 [|i2 [|i3 is]]]; reflexivity. Qed.

Lemma cell_value c s xs is : Index.value c [] (cell_term s xs is) = place_of c s xs (map (Index.value c []) is).
Proof.
  revert is. induction xs as [|x xs IH]; intros is; cbn [cell_term place_of]; [apply flat_term_value|]. rewrite IH, move_value. reflexivity.
Qed.

Lemma kept_value c xs is : Index.holds c [] (kept_term xs is) = kept_of c xs (map (Index.value c []) is).
Proof.
  revert is. induction xs as [|x xs IH]; intros is; cbn [kept_term kept_of]; [reflexivity|].
  assert (R : Index.holds c [] (kept_term xs (move_terms x is)) = kept_of c xs (move c x (map (Index.value c []) is))).
  { rewrite IH, move_value. reflexivity. }
  destruct x as [i| | | |m|d|d|o|n [d|]|n|n m]; try exact R.
  - destruct is as [|i is]; [reflexivity|]. cbn [keep_term keep move_terms map under Reshape.moved move] in R |- *.
    cbn [Index.holds inside] in R |- *. rewrite R. reflexivity.
  - destruct is as [|i is]; [reflexivity|]. cbn [keep_term keep move_terms map under Reshape.moved move] in R |- *.
    cbn [Index.holds inside] in R |- *. rewrite R. reflexivity.
  - destruct is as [|d [|q is]]; try reflexivity. cbn [keep_term keep map along move] in R |- *. cbn [Index.holds] in R |- *.
    rewrite R. reflexivity.
Qed.

Lemma move_lift c e x : move (e :: c) (lift_layer x) = move c x.
Proof. destruct x as [i| | | |m|d|d|o|n [d|]|n|n m]; cbn [lift_layer move option_map]; rewrite ?value_lift; reflexivity. Qed.

Lemma place_of_lift c e s xs : place_of (e :: c) (map lift s) (map lift_layer xs) = place_of c s xs.
Proof.
  induction xs as [|x xs IH]; cbn [place_of map]; [rewrite values_lift; reflexivity|]. rewrite IH, move_lift. reflexivity.
Qed.

Lemma keep_lift c e x C : keep (e :: c) (lift_layer x) C = keep c x C.
Proof.
  pose proof (move_lift c e x) as M.
  destruct x as [i| | | |m|d|d|o|n [d|]|n|n m]; cbn [lift_layer keep option_map] in *; rewrite ?value_lift; try reflexivity; rewrite M; reflexivity.
Qed.

Lemma kept_of_lift c e xs : kept_of (e :: c) (map lift_layer xs) = kept_of c xs.
Proof. induction xs as [|x xs IH]; cbn [kept_of map]; [reflexivity|]. rewrite IH, keep_lift. reflexivity. Qed.
