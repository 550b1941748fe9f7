(** Loops of programs that are run as searches.

    A theorem about a kernel speaks of the plain loop, which tries every iteration ([run], in [Loops.v]). A printer that marks it as
    a search has only those done that are found. Here is why that is the same: *)
Require Import ZArith Arith List Bool Lia.
Require Export Atl.Loops.
Require Import Atl.streams.Search.
Open Scope Z_scope.

Section Programs.
Context {V : Type} (ints : arrays).
Notation run := (run (V := V) ints).

Lemma iterate_loop n (step : nat -> memory V -> option (memory V)) h : iterate n step h = loop 0 n step h.
Proof.
  revert h. induction n as [|n IH]; intros h; [reflexivity|]. rewrite <- (Nat.add_1_r n), loop_app, Nat.add_1_r. cbn [iterate].
  rewrite IH. destruct (loop 0 n step h) as [h'|]; [|reflexivity]. cbn. destruct (step n h'); reflexivity.
Qed.

(** An iteration whose condition is false does nothing. *)
Lemma idle p a h : truth_of ints p = Some false -> run (If p a Skip) h = Some h.
Proof. intros E. cbn [Loops.run]. rewrite E. reflexivity. Qed.

(** Where a loop begins and ends, the keys of its places, what is sought: *)
Definition searched (lo hi : Z) (key : Z -> Z) (sought : Z) (f : Z -> statement V) : Prop :=
  (forall p q, lo <= p < q -> q < hi -> key p < key q) /\
  (forall q h, lo <= q < hi -> key q <> sought -> run (f q) h = Some h).

Theorem search_program lo hi l u key sought f h close : number_of ints lo = Some l -> number_of ints hi = Some u ->
  searched l u key sought f ->
  run (For lo hi f) h =
    search (fun q => key (l + Z.of_nat q)) close 0 (Z.to_nat (u - l)) sought (fun q => run (f (l + Z.of_nat q))) h.
Proof.
  intros El Eu [K O]. cbn [Loops.run]. rewrite El, Eu. cbn [bind]. rewrite iterate_loop.
  rewrite (search_right _ _ 0 (Z.to_nat (u - l))); [rewrite Nat.sub_0_r; reflexivity|lia| | |lia].
  - intros p q P Q. apply K; lia.
  - intros q s Q N. apply O; [lia|exact N].
Qed.

(** Two sequences that are walked together: a search in a loop, along which what is sought never falls. *)
Theorem walk_program lo hi lo' hi' l u l' u' key sought f h close :
  number_of ints lo = Some l -> number_of ints hi = Some u ->
  number_of ints lo' = Some l' -> number_of ints hi' = Some u' ->
  (forall p, l <= p < u -> searched l' u' key (sought p) (f p)) ->
  (forall p p', l <= p <= p' -> p' < u -> sought p <= sought p') ->
  run (For lo hi (fun p => For lo' hi' (f p))) h =
    walk (fun q => key (l' + Z.of_nat q)) close 0 (Z.to_nat (u - l)) 0 (Z.to_nat (u' - l'))
      (fun p => sought (l + Z.of_nat p)) (fun p q => run (f (l + Z.of_nat p) (l' + Z.of_nat q))) h.
Proof.
  intros El Eu El' Eu' S M. cbn [Loops.run]. rewrite El, Eu, El', Eu'. cbn [bind]. rewrite iterate_loop.
  destruct (Z.le_gt_cases u l) as [Z0|Z0]; [replace (Z.to_nat (u - l)) with 0%nat by lia; reflexivity|].
  rewrite (walk_right _ _ 0 (Z.to_nat (u' - l'))).
  - apply loop_ext. intros p s P. rewrite iterate_loop, Nat.sub_0_r. reflexivity.
  - lia.
  - intros p q P Q. apply (proj1 (S l ltac:(lia))); lia.
  - intros p P q s Q N. apply (proj2 (S (l + Z.of_nat p) ltac:(lia))); [lia|exact N].
  - intros p p' P P'. apply M; lia.
  - lia.
Qed.

(** Both advanced by one comparison at a time, where what is sought strictly increases. *)
Theorem merge_program lo hi lo' hi' l u l' u' key sought f h :
  number_of ints lo = Some l -> number_of ints hi = Some u ->
  number_of ints lo' = Some l' -> number_of ints hi' = Some u' ->
  (forall p, l <= p < u -> searched l' u' key (sought p) (f p)) ->
  (forall p q, l' <= p < q -> q < u' -> key p < key q) ->
  (forall p p', l <= p < p' -> p' < u -> sought p < sought p') ->
  run (For lo hi (fun p => For lo' hi' (f p))) h =
    merge (fun q => key (l' + Z.of_nat q)) (Z.to_nat (u - l) + Z.to_nat (u' - l')) 0 (Z.to_nat (u - l)) 0 (Z.to_nat (u' - l'))
      (fun p => sought (l + Z.of_nat p)) (fun p q => run (f (l + Z.of_nat p) (l' + Z.of_nat q))) h.
Proof.
  intros El Eu El' Eu' S K M. cbn [Loops.run]. rewrite El, Eu, El', Eu'. cbn [bind]. rewrite iterate_loop.
  rewrite (merge_right _ 8 0 (Z.to_nat (u' - l'))).
  - rewrite Nat.sub_0_r. apply loop_ext. intros p s P. rewrite iterate_loop, Nat.sub_0_r. reflexivity.
  - intros p q P Q. apply K; lia.
  - intros p p' P P'. apply M; lia.
  - lia.
  - lia.
  - lia.
  - intros p P q s Q N. apply (proj2 (S (l + Z.of_nat p) ltac:(lia))); [lia|exact N].
  - lia.
Qed.
End Programs.
