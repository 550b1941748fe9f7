(** Tensors that are added, and temporaries: a buffer is filled before it is read. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Nests.
Import ListNotations.
Open Scope Z_scope.

Section Temporaries.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Implicit Types (G : list (known V)) (X : scratch) (b x y : string) (C : index -> bool) (t u : tensor V).
Implicit Types (place : index -> Z) (k : kind).
Notation fills := (fills ints A).
Notation makes := (makes ints).

(** * Tensors that are added *)
Lemma fills_then G X p q b s C place t u v k : k <> Unset ->
  (forall l old, total A k old (t l) <> None -> total A Adding (total A k old (t l)) (u l) = total A k old (v l)) ->
  fills G X p b s C place t k -> fills G X q b s C place u Adding -> fills G X (Seq p q) b s C place v k.
Proof.
  intros N E F K D J h W Bf. destruct (F D J h W Bf) as (h1 & R1 & O1).
  destruct (K D J h1) as (h2 & R2 & O2).
  - eapply world_after; eauto.
  - exact (before_then A h h1 b X _ place t k Bf O1).
  - exists h2. split; [cbn [run]; rewrite R1; exact R2|]. exact (outcome_then A h h1 h2 b X _ place t u v k Bf E O1 O2).
Qed.

Lemma fills_plus_adding G X p q b s C place t u : law_add_assoc A ->
  fills G X p b s C place t Adding -> fills G X q b s C place u Adding ->
  fills G X (Seq p q) b s C place (prim2 (add A) t u) Adding.
Proof.
  intros L. apply fills_then; [easy|]. intros l old _. destruct old as [a|]; [|reflexivity]. cbn. rewrite L. reflexivity.
Qed.

Lemma fills_from_zero G X p b s C place t : law_add_0_l A ->
  fills G X p b s C place t Adding -> fills G X p b s C place t Zeroed.
Proof.
  intros L F D J h W Bf. destruct (F D J h W) as (h' & R & O).
  - intros l Ll. destruct (Bf l Ll) as (c & Fd & _ & E). exists c. split; [exact Fd|]. cbn. rewrite E. discriminate.
  - exists h'. split; [exact R|]. apply outcome_from_zero; assumption.
Qed.

Lemma fills_plus_zeroed G X p q b s C place t u : law_add_0_l A ->
  fills G X p b s C place t Adding -> fills G X q b s C place u Adding ->
  fills G X (Seq p q) b s C place (prim2 (add A) t u) Zeroed.
Proof.
  intros L F.
  apply (fills_then G X p q b s C place t u); [easy|reflexivity|]. apply fills_from_zero; assumption.
Qed.

(** * A tensor that is computed before what reads it *)
Definition without x X : scratch := filter (fun z => negb (String.eqb (fst z) x)) X.
Fixpoint lookup x X : option Z :=
  match X with [] => None | (y, n) :: X => if String.eqb y x then Some n else lookup x X end.

Lemma without_names x y X : In y (map fst (without x X)) <-> In y (map fst X) /\ y <> x.
Proof.
  unfold without. rewrite !in_map_iff. split.
  - intros (z & <- & I). apply filter_In in I as [I E]. apply negb_true_iff, String.eqb_neq in E. eauto.
  - intros [(z & <- & I) N]. exists z. split; [reflexivity|]. apply filter_In. split; [exact I|].
    apply negb_true_iff, String.eqb_neq, N.
Qed.

Lemma without_there (h : memory V) x X : there h X -> there h (without x X).
Proof. unfold there. rewrite !Forall_forall. intros T z I. apply filter_In in I as [I _]. auto. Qed.

(** The scratch but [x] is there, and so is [x]. *)
Lemma there_without (h h' : memory V) x X : there h X -> there h' (without x X) -> option_map size (h' x) = option_map size (h x) -> there h' X.
Proof.
  unfold there. rewrite !Forall_forall. intros T U E z I. destruct (String.eqb_spec (fst z) x) as [N|N].
  - rewrite N, E, <- N. apply T, I.
  - apply U, filter_In. split; [exact I|]. apply negb_true_iff, String.eqb_neq, N.
Qed.

Lemma lookup_there (h : memory V) x X n : lookup x X = Some n -> there h X -> option_map size (h x) = Some n /\ In x (map fst X).
Proof.
  intros L T. induction X as [|[y m] X IH]; cbn in L; [easy|]. inversion T as [|? ? T1 T2]; subst.
  destruct (String.eqb_spec y x) as [->|N].
  - injection L as ->. cbn. auto.
  - destruct (IH L T2). cbn. auto.
Qed.

Lemma apart_names G X b : apart G X b = true ->
  (forall z, In z G -> name z <> b /\ ~ In (name z) (map fst X)) /\ ~ In b (map fst X).
Proof.
  unfold apart. rewrite andb_true_iff, !forallb_forall. intros [D E]. split.
  - intros z I. specialize (D z I). apply negb_true_iff, String.eqb_neq in D. split; [exact D|].
    intros I'. apply in_map_iff in I' as (w & W & I'). specialize (E w I'). apply andb_true_iff in E as [E _].
    rewrite forallb_forall in E. specialize (E z I). apply negb_true_iff, String.eqb_neq in E. congruence.
  - intros I. apply in_map_iff in I as (w & W & I). specialize (E w I). apply andb_true_iff in E as [_ E].
    apply negb_true_iff, String.eqb_neq in E. congruence.
Qed.

Lemma apart_more G X b x sx t : apart G X b = true -> apart G X x = true -> x <> b -> apart (Known x sx t :: G) X b = true.
Proof.
  unfold apart. rewrite !andb_true_iff, !forallb_forall. intros [D E] [D' E'] N. split.
  - intros z [<-|I]; [|auto]. apply negb_true_iff, String.eqb_neq, N.
  - intros z I. specialize (E z I). specialize (E' z I). apply andb_true_iff in E as [E1 E2], E' as [_ E'].
    cbn [forallb name Known]. rewrite String.eqb_sym, E', E1, E2. reflexivity.
Qed.

Lemma let_run G X p q x sx e b s C place (f : tensor V -> tensor V) k n h0 h1 :
  x <> b -> apart G X b = true -> apart G X x = true -> injective (live s C) place -> world h0 G X ->
  (forall l, live s C l -> exists c, find h0 b (place l) = Some c /\ before A k c) ->
  run p h0 = Some h1 -> (forall y, y <> x -> ~ In y (map fst X) -> h1 y = h0 y) ->
  option_map size (h1 x) = option_map size (h0 x) -> there h1 X -> holds h1 (Known x sx e) ->
  fills (Known x sx e :: G) X q b s C place (f e) k ->
  exists h2, run (Seq p q) h0 = Some h2 /\ outcome A h0 h2 b ((x, n) :: X) (live s C) place (let_in e f) k.
Proof.
  intros N D Dx J [W T] Bf R1 O1 S1 T1 H1 F.
  destruct (apart_names G X b D) as [GX Xb]. destruct (apart_names G X x Dx) as [Gx Xx].
  assert (Eb : h1 b = h0 b) by (apply O1; [congruence|exact Xb]).
  destruct (F (apart_more G X b x sx e D Dx N) J h1) as (h2 & R2 & [O2 S2 K2 F2 V2]).
  - split; [|exact T1]. constructor; [exact H1|]. rewrite Forall_forall in W |- *. intros z I.
    apply (holds_eq h0); [|exact (W z I)]. apply O1; [apply Gx, I|apply GX, I].
  - intros l Ll. destruct (Bf l Ll) as (c & Fd & B). exists c. rewrite (find_eq h1 h0) by exact Eb. auto.
  - exists h2. split; [cbn [run]; rewrite R1; exact R2|]. split.
    + intros z Nz Iz. cbn in Iz. assert (z <> x /\ ~ In z (map fst X)) as [? ?] by (split; [intros ->|]; tauto).
      rewrite O2, O1; auto.
    + rewrite S2, Eb. reflexivity.
    + intros U. inversion U as [|? ? U1 U2]; subst. constructor; [|apply K2, T1].
      cbn in U1 |- *. rewrite O2, S1; auto.
    + intros i H. rewrite F2 by exact H. apply find_eq, Eb.
    + intros l c Ll Fd B. apply (V2 l c Ll); [|exact B]. rewrite (find_eq h1 h0) by exact Eb. exact Fd.
Qed.

(** Its buffer is scratch that is there already. *)
Lemma fills_let_there G X p q x n sx e b s C place (f : tensor V -> tensor V) k :
  lookup x X = Some n -> n = room sx -> String.eqb x b = false -> apart G (without x X) x = true ->
  makes G (without x X) p x sx e None ->
  (forall z, fills (Known x sx z :: G) (without x X) q b s C place (f z) k) ->
  fills G X (Seq p q) b s C place (let_in e f) k.
Proof.
  intros L -> N Dx M F D J h [W T] Bf. destruct (lookup_there h x X _ L T) as [Sx Ix]. apply String.eqb_neq in N.
  pose proof (without_there h x X T) as T0.
  destruct (M h (conj W T0) Sx) as (h1 & R1 & O1 & S1 & T1 & H1).
  assert (D0 : apart G (without x X) b = true).
  { unfold apart in D |- *. rewrite andb_true_iff, !forallb_forall in *. destruct D as [D E]. split; [exact D|].
    intros z I. apply filter_In in I as [I _]. auto. }
  destruct (let_run G (without x X) p q x sx e b s C place f k (room sx) h h1 N D0 Dx J (conj W T0) Bf R1 O1 S1 T1 H1 (F e))
    as (h2 & R & [O S K Fr V2]). exists h2. split; [exact R|]. split; auto.
  - intros y Ny Iy. apply O; [exact Ny|]. cbn. rewrite without_names. intros [<-|[I _]]; contradiction.
  - intros _. assert (U : there h ((x, room sx) :: without x X)) by (constructor; assumption).
    apply K in U. inversion U as [|? ? U1 U2]; subst. apply (there_without h h2 x X T U2). cbn in U1. congruence.
Qed.

(** * Allocations *)
Lemma outcome_restore h h2 m x n b X P place t k : x <> b -> ~ In x (map fst X) -> option_map size m = Some n ->
  outcome A (put h x m) h2 b ((x, n) :: X) P place t k -> outcome A h (put h2 x (h x)) b X P place t k.
Proof.
  intros N I E [O S K F R].
  assert (B : put h x m b = h b) by (apply put_other; congruence).
  assert (B2 : put h2 x (h x) b = h2 b) by (apply put_other; congruence).
  split.
  - intros y Ny Iy. destruct (string_dec y x) as [->|Nx]; [apply put_same|].
    rewrite put_other by exact Nx. rewrite O; [apply put_other, Nx|exact Ny|]. cbn. intros [<-|]; auto.
  - rewrite B2, S, B. reflexivity.
  - intros T. assert (T' : there (put h x m) ((x, n) :: X)).
    { constructor; [cbn; rewrite put_same; exact E|]. unfold there in *. rewrite Forall_forall in *. intros z Z.
      rewrite put_other; [auto|]. intros Q. apply I. rewrite <- Q. apply in_map, Z. }
    apply K in T'. inversion T' as [|? ? _ U]; subst. unfold there. rewrite Forall_forall in *. intros z Z.
    rewrite put_other; [auto|]. intros Q. apply I. rewrite <- Q. apply in_map, Z.
  - intros i H. rewrite (find_eq _ h2 b i B2), F by exact H. apply find_eq, B.
  - intros l c Pl Fd Bf. rewrite (find_eq _ h2 b _ B2). apply (R l c Pl); [|exact Bf].
    rewrite (find_eq _ h b _ B). exact Fd.
Qed.

(** Scratch for whatever stands inside. *)
Lemma fills_alloc G X p x sx v b s C place t k : String.eqb x b = false -> apart G X x = true ->
  fills G ((x, room sx) :: X) p b s C place t k -> fills G X (Alloc x sx v p) b s C place t k.
Proof.
  intros N Dx F D J h W Bf. apply String.eqb_neq in N. destruct (apart_names G X x Dx) as [Gx Xx].
  set (h0 := put h x (Some (fresh (room sx) v))).
  assert (Eb : h0 b = h b) by (apply put_other; congruence).
  destruct (F) with (h := h0) as (h2 & R & O).
  - unfold apart in *. rewrite andb_true_iff, !forallb_forall in *. destruct D as [D E], Dx as [Dx _]. split; [exact D|].
    intros z [<-|I]; [|auto]. cbn. apply String.eqb_neq in N. rewrite N, andb_true_r. apply forallb_forall, Dx.
  - exact J.
  - destruct (world_put G X x h (Some (fresh (room sx) v)) Dx W) as [W1 W2]. split; [exact W1|].
    constructor; [cbn; unfold h0; rewrite put_same; reflexivity|exact W2].
  - intros l Ll. destruct (Bf l Ll) as (c & Fd & B). exists c. rewrite (find_eq h0 h) by exact Eb. auto.
  - exists (put h2 x (h x)). split; [cbn [run]; fold h0; rewrite R; reflexivity|].
    exact (outcome_restore h h2 (Some (fresh (room sx) v)) x (room sx) b X _ place t k N Xx eq_refl O).
Qed.

(** The buffer of a [let] is allocated where it stands. *)
Lemma fills_let G X p q x sx v e b s C place (f : tensor V -> tensor V) k :
  String.eqb x b = false -> apart G X x = true -> makes G X p x sx e (Some v) ->
  (forall z, fills (Known x sx z :: G) X q b s C place (f z) k) ->
  fills G X (Alloc x sx v (Seq p q)) b s C place (let_in e f) k.
Proof.
  intros N Dx M F D J h W Bf. apply String.eqb_neq in N. destruct (apart_names G X x Dx) as [Gx Xx].
  set (h0 := put h x (Some (fresh (room sx) v))).
  assert (Eb : h0 b = h b) by (apply put_other; congruence).
  pose proof (world_put G X x h (Some (fresh (room sx) v)) Dx W) as W0. fold h0 in W0.
  destruct (M h0 W0) as (h1 & R1 & O1 & S1 & T1 & H1); [apply put_same|].
  destruct (let_run G X p q x sx e b s C place f k (room sx) h0 h1 N D Dx J W0) as (h2 & R & O); auto.
  - intros l Ll. destruct (Bf l Ll) as (c & Fd & B). exists c. rewrite (find_eq h0 h) by exact Eb. auto.
  - exists (put h2 x (h x)). split; [cbn [run] in R |- *; fold h0; rewrite R; reflexivity|].
    exact (outcome_restore h h2 (Some (fresh (room sx) v)) x (room sx) b X _ place _ k N Xx eq_refl O).
Qed.

(** What is bound may be read by nothing. *)
Lemma fills_let_unread G X p b s C place e (f : tensor V -> tensor V) k :
  (forall z, fills G X p b s C place (f z) k) -> fills G X p b s C place (let_in e f) k.
Proof. intros F. apply F. Qed.

End Temporaries.
