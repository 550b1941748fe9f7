(** Loops that were cut into whole vectors and a rest, of which what lies beyond the end does nothing. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Kernels.
Import ListNotations.
Open Scope Z_scope.

Section Cuts.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Notation fills := (fills ints A).
Notation gives := (gives ints).
Notation decides := (decides ints).
Implicit Types (G : list (known V)) (X : scratch) (a b : Z -> statement V) (C : index -> bool) (place : index -> Z).

Lemma iterate_ext n (f g : nat -> memory V -> option (memory V)) h : (forall k h, (k < n)%nat -> f k h = g k h) ->
  iterate n f h = iterate n g h.
Proof.
  intros E. induction n as [|n IH]; [reflexivity|]. cbn [iterate]. rewrite IH by auto.
  destruct (iterate n g h); [apply E; auto|reflexivity].
Qed.

Lemma iterate_app n m (f : nat -> memory V -> option (memory V)) h :
  iterate (n + m) f h = bind (iterate n f h) (iterate m (fun k => f (n + k)%nat)).
Proof.
  induction m as [|m IH]; [rewrite Nat.add_0_r; cbn; destruct (iterate n f h); reflexivity|].
  rewrite Nat.add_succ_r. cbn [iterate]. rewrite IH. destruct (iterate n f h); reflexivity.
Qed.

Lemma iterate_idle n (f : nat -> memory V -> option (memory V)) h : (forall k h, (k < n)%nat -> f k h = Some h) ->
  iterate n f h = Some h.
Proof. intros E. induction n as [|n IH]; [reflexivity|]. cbn [iterate]. rewrite IH by auto. apply E. auto. Qed.

(** Iterations before [m] by one loop, the others by a second one, which may go on beyond [n]. *)
Lemma run_cut lo m' m'' e' m n e a b (q : Z -> test) h : gives lo 0 -> gives m' m -> gives m'' m -> gives e' e ->
  (forall i, decides (q i) (i <? n)) -> 0 <= m <= n -> n <= e ->
  run (Seq (For lo m' a) (For m'' e' (fun i => If (q i) (b i) Skip))) h =
  run (For 0 n (fun i => if i <? m then a i else b i)) h.
Proof.
  intros G0 G1 G2 G3 Q M E. cbn [Loops.run number_of]. rewrite G0, G1. cbn [bind]. rewrite !Z.sub_0_r.
  replace (Z.to_nat n) with (Z.to_nat m + Z.to_nat (n - m))%nat by lia.
  rewrite iterate_app.
  rewrite (iterate_ext (Z.to_nat m) _ (fun k => run (if 0 + Z.of_nat k <? m then a (0 + Z.of_nat k) else b (0 + Z.of_nat k)))).
  2: { intros k h' K. rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity. }
  destruct (iterate (Z.to_nat m) _ h) as [h1|]; [|reflexivity]. cbn [bind]. rewrite G2, G3. cbn [bind].
  replace (Z.to_nat (e - m)) with (Z.to_nat (n - m) + Z.to_nat (e - n))%nat by lia. rewrite iterate_app.
  rewrite (iterate_ext (Z.to_nat (n - m)) _ (fun k => run (if 0 + Z.of_nat (Z.to_nat m + k) <? m
    then a (0 + Z.of_nat (Z.to_nat m + k)) else b (0 + Z.of_nat (Z.to_nat m + k))))).
  2: { intros k h' K. replace (0 + Z.of_nat (Z.to_nat m + k)) with (m + Z.of_nat k) by lia. rewrite Q.
    rewrite (proj2 (Z.ltb_lt _ _)), (proj2 (Z.ltb_ge _ _)) by lia. reflexivity. }
  destruct (iterate (Z.to_nat (n - m)) _ h1) as [h2|]; [|reflexivity]. cbn [bind].
  apply iterate_idle. intros k h' K. rewrite Q, (proj2 (Z.ltb_ge _ _)) by lia. reflexivity.
Qed.

Lemma fills_gen_cut G X lo m' m'' e' m e n s a b (q : Z -> test) x C place g k :
  gives lo 0 -> gives m' m -> gives m'' m -> gives e' e -> (forall i, decides (q i) (i <? n)) ->
  ((0 <=? m) && (m <=? n)) && (n <=? e) = true ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> (i <? m) = true ->
    fills G X (a i) x s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> (i <? m) = false ->
    fills G X (b i) x s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  fills G X (Seq (For lo m' a) (For m'' e' (fun i => If (q i) (b i) Skip))) x (n :: s) C place (gen n g) k.
Proof.
  intros G0 G1 G2 G3 Q B F K. rewrite !andb_true_iff, !Z.leb_le in B.
  apply (fills_run A) with (q := For 0 n (fun i => if i <? m then a i else b i)).
  { intros h. apply run_cut with (e := e); auto; lia. }
  apply fills_gen; [apply gives_int; reflexivity|apply gives_int; reflexivity|]. intros i I J. destruct (i <? m) eqn:E; auto.
Qed.

(** The rest alone, where there is no whole vector. *)
Lemma fills_gen_rest G X lo e' e n s b (q : Z -> test) x C place g k :
  gives lo 0 -> gives e' e -> (forall i, decides (q i) (i <? n)) -> (0 <=? n) && (n <=? e) = true ->
  (forall i, (0 <=? i) = true -> (i <? n) = true ->
    fills G X (b i) x s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  fills G X (For lo e' (fun i => If (q i) (b i) Skip)) x (n :: s) C place (gen n g) k.
Proof.
  intros G0 G1 Q B F. rewrite andb_true_iff, !Z.leb_le in B.
  apply (fills_run A) with (q := For 0 n b).
  - intros h. pose proof (run_cut 0 0 lo e' 0 n e b b q h eq_refl eq_refl G0 G1 Q ltac:(lia) ltac:(lia)) as R.
    cbn [Loops.run number_of bind] in R |- *. change (iterate (Z.to_nat (0 - 0)) _ h) with (Some h) in R. cbn [bind] in R.
    rewrite R. apply iterate_ext. intros j h1 _. rewrite (proj2 (Z.ltb_ge _ _)) by lia. reflexivity.
  - apply fills_gen; [apply gives_int; reflexivity|apply gives_int; reflexivity|exact F].
Qed.
End Cuts.
