(** Loops, additions of tensors, and temporaries: the rest of what lowering makes. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Lowering.
Import ListNotations.
Open Scope Z_scope.

Section Nests.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (C : index -> bool) (t u : tensor V).
Implicit Types (place : index -> Z) (k : kind).
Notation fills := (fills ints A).
Notation gives := (gives ints).

(** * Loops over an index of the result *)
Section Gen.
Variables (n : Z) (s : shape) (C : index -> bool) (place : index -> Z).
Hypothesis J : injective (live (n :: s) C) place.

(** The indices of the first iterations. *)
Definition first (m : Z) : index -> Prop := fun l => live (n :: s) C l /\ hd 0 l < m.
Definition row (i : Z) : index -> Prop := live s (fun l => C (i :: l)).

Lemma row_live i l : 0 <= i < n -> row i l -> live (n :: s) C (i :: l).
Proof using. intros I [B L]. split; [split; assumption | exact L]. Qed.

Lemma live_row l : live (n :: s) C l -> exists i l', l = i :: l' /\ 0 <= i < n /\ row i l'.
Proof using.
  intros [B L]. destruct (inbox_cons _ _ _ B) as (i & l' & -> & I & B'). exists i, l'. split; [reflexivity|]. split; [exact I|]. split; [exact B' | exact L].
Qed.

Lemma row_injective i : 0 <= i < n -> injective (row i) (fun l => place (i :: l)).
Proof using J.
  intros I l l' L L' E. assert (H : i :: l = i :: l') by (apply J; auto using row_live). congruence.
Qed.

Lemma iterations G X (body : Z -> statement V) b g k : apart G X b = true ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G X (body i) b s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  forall h, world h G X -> (forall l, live (n :: s) C l -> exists c, find h b (place l) = Some c /\ before A k c) ->
  forall m, Z.of_nat m <= n -> exists h',
    iterate m (fun j => run (body (0 + Z.of_nat j))) h = Some h' /\ outcome A h h' b X (first (Z.of_nat m)) place (gen n g) k.
Proof using J.
  intros D F h W Bf. induction m as [|m IH]; intros M.
  - exists h. split; [reflexivity|].
    apply (outcome_iff A h h b X (fun _ => False) _ place (gen n g) (gen n g)); [|reflexivity | apply outcome_none].
    intros l. split; [easy|]. intros [L H]. destruct (live_row l L) as (i & l' & -> & I & _). cbn in H. lia.
  - destruct IH as (h1 & R1 & O1); [lia|].
    assert (I : 0 <= Z.of_nat m < n) by lia.
    assert (S : forall l l', first (Z.of_nat m) l -> row (Z.of_nat m) l' -> place l <> place (Z.of_nat m :: l')).
    { intros l l' [L H] L' E. rewrite (J l _ L (row_live _ _ I L') E) in H. cbn in H. lia. }
    destruct (F (Z.of_nat m) ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia) D (row_injective _ I) h1) as (h2 & R2 & O2).
    + eapply world_after; eauto.
    + intros l L. destruct (Bf (Z.of_nat m :: l) (row_live _ _ I L)) as (c & Fd & B). exists c. split; [|exact B].
      rewrite (frame _ _ _ _ _ _ _ _ _ O1); [exact Fd|]. intros l' L' E. exact (S l' l L' L E).
    + exists h2. split.
      { cbn [iterate]. rewrite R1. cbn [bind]. rewrite Z.add_0_l. exact R2. }
      apply (outcome_iff A h h2 b X (fun l => first (Z.of_nat m) l \/ exists w, l = Z.of_nat m :: w /\ row (Z.of_nat m) w)
        _ place (gen n g) (gen n g)); [|reflexivity|].
      * intros l. unfold first. rewrite Nat2Z.inj_succ. split.
        -- intros [[L H]|(w & -> & L)]; [split; [exact L|lia]|]. split; [exact (row_live _ _ I L)|cbn; lia].
        -- intros [L H]. destruct (live_row l L) as (i & w & -> & Iw & Lw). cbn in H.
           destruct (Z.eq_dec i (Z.of_nat m)) as [->|]; [right; exists w; auto|left; split; [exact L|cbn; lia]].
      * apply (outcome_union A h h1 h2); [|exact O1|].
        -- intros l l' L (w & -> & L'). exact (S l w L L').
        -- apply (outcome_image A h1 h2 b X (row (Z.of_nat m)) place (g (Z.of_nat m))); [reflexivity|exact O2].
Qed.

Lemma fills_gen_here G X lo hi body b g k : gives lo 0 -> gives hi n ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G X (body i) b s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  fills G X (For lo hi body) b (n :: s) C place (gen n g) k.
Proof using J.
  intros E1 E2 F D _ h W Bf. cbn [Loops.run]. rewrite E1, E2. cbn [bind]. rewrite Z.sub_0_r.
  destruct (Z_le_gt_dec 0 n) as [N|N].
  - destruct (iterations G X body b g k D F h W Bf (Z.to_nat n) ltac:(lia)) as (h' & R & O). exists h'. split.
    + exact R.
    + revert O. apply outcome_iff; [|reflexivity]. intros l. unfold first. split; [tauto|]. intros L. split; [exact L|].
      destruct (live_row l L) as (i & w & -> & I & _). cbn. lia.
  - exists h. split; [replace (Z.to_nat n) with 0%nat by lia; reflexivity|].
    apply (outcome_iff A h h b X (fun _ => False) _ place (gen n g) (gen n g)); [|reflexivity | apply outcome_none].
    intros l. split; [easy|]. intros L. destruct (live_row l L) as (i & w & -> & I & _). lia.
Qed.
End Gen.

Lemma fills_gen G X lo hi n s body b C place g k : gives lo 0 -> gives hi n ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G X (body i) b s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  fills G X (For lo hi body) b (n :: s) C place (gen n g) k.
Proof. intros E1 E2 F D J. exact (fills_gen_here n s C place J G X lo hi body b g k E1 E2 F D J). Qed.

(** A loop of one iteration may be its body. *)
Lemma fills_gen_one G X p n s b C place g k : n = 1 ->
  fills G X p b s (fun l => C (0 :: l)) (fun l => place (0 :: l)) (g 0) k -> fills G X p b (n :: s) C place (gen n g) k.
Proof.
  intros -> F D J h W Bf.
  destruct (fills_gen G X 0 1 1 s (fun _ => p) b C place g k eq_refl eq_refl) with (h := h) as (h' & R & O); auto.
  - intros i I I'. apply Z.leb_le in I. apply Z.ltb_lt in I'. replace i with 0 by lia. exact F.
  - exists h'. auto.
Qed.

(** And one without iterations, nothing. *)
Lemma fills_gen_none G X n s b C place g k : n = 0 -> fills G X Skip b (n :: s) C place (gen n g) k.
Proof. intros ->. apply fills_nothing. intros [|i l] [B _]; [easy|]. destruct B. lia. Qed.

(** * Sums: every iteration adds to the same cells *)
Lemma fills_sum G X lo hi n s (body : Z -> statement V) b C place g k : gives lo 0 -> gives hi n -> k <> Unset ->
  (k = Adding -> law_add_0_r A /\ law_add_assoc A) ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G X (body i) b s C place (g i) Adding) ->
  fills G X (For lo hi body) b s C place (sum A n g) k.
Proof.
  intros E1 E2 K L F D J h W Bf. cbn [Loops.run]. rewrite E1, E2. cbn [bind]. rewrite Z.sub_0_r.
  assert (H : forall m, (m <= Z.to_nat n)%nat -> exists h',
    iterate m (fun j => run (body (0 + Z.of_nat j))) h = Some h' /\
    outcome A h h' b X (live s C) place (fun l => bigsum A m (fun j => g (Z.of_nat j) l)) k).
  { induction m as [|m IH]; intros M.
    - exists h. split; [reflexivity|]. apply (outcome_extend A h h b X (fun _ => False)); auto; [easy|tauto|apply outcome_none].
    - destruct IH as (h1 & R1 & O1); [lia|].
      destruct (F (Z.of_nat m) ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia) D J h1) as (h2 & R2 & O2).
      + eapply world_after; eauto.
      + exact (before_then A h h1 b X (live s C) place _ k Bf O1).
      + exists h2. split; [cbn [iterate]; rewrite R1; exact R2|].
        apply (outcome_then A h h1 h2 b X (live s C) place _ _ _ k Bf) with (2 := O1) (3 := O2).
        intros l old N. cbn [bigsum]. destruct k; [easy|reflexivity|]. destruct old as [x|]; [|easy].
        cbn. rewrite (proj2 (L eq_refl)). reflexivity. }
  destruct (H (Z.to_nat n) (le_n _)) as (h' & R & O). exists h'. split; [exact R|exact O].
Qed.

Lemma fills_sum_one G X n s (p : statement V) b C place g k : n = 1 -> k <> Unset ->
  (k = Adding -> law_add_0_r A /\ law_add_assoc A) ->
  fills G X p b s C place (g 0) Adding -> fills G X p b s C place (sum A n g) k.
Proof.
  intros -> K L F D J h W Bf.
  destruct (fills_sum G X 0 1 1 s (fun _ => p) b C place g k eq_refl eq_refl K L) with (h := h) as (h' & R & O); auto.
  - intros i I I'. apply Z.leb_le in I. apply Z.ltb_lt in I'. replace i with 0 by lia. exact F.
  - exists h'. auto.
Qed.

(** A sum that is written out: its last term, after the others. *)
Lemma fills_sum_next G X n s (p q : statement V) b C place g k : 0 <= n -> k <> Unset -> (k = Adding -> law_add_assoc A) ->
  fills G X p b s C place (sum A n g) k -> fills G X q b s C place (g n) Adding ->
  fills G X (Seq p q) b s C place (sum A (n + 1) g) k.
Proof.
  intros N K L F F' D J h W Bf. destruct (F D J h W Bf) as (h1 & R1 & O1).
  destruct (F' D J h1) as (h2 & R2 & O2).
  - eapply world_after; eauto.
  - exact (before_then A h h1 b X (live s C) place _ k Bf O1).
  - exists h2. split; [cbn [Loops.run]; rewrite R1; exact R2|].
    apply (outcome_then A h h1 h2 b X (live s C) place _ _ _ k Bf) with (2 := O1) (3 := O2).
    intros l old M. unfold sum. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia. cbn [bigsum]. rewrite Z2Nat.id by lia.
    destruct k; [easy|reflexivity|]. destruct old as [x|]; [|easy]. cbn. rewrite (L eq_refl). reflexivity.
Qed.

(** * Temporaries *)

(** [p] puts the whole of [t] into the buffer [x], whose cells are as [init] says at first, or as they may be. *)
Definition makes G X p x s t (init : option (option V)) : Prop :=
  forall h, world h G X -> match init with
    | Some v => h x = Some (fresh (room s) v)
    | None => option_map size (h x) = Some (room s)
    end ->
  exists h', run p h = Some h' /\ (forall y, y <> x -> ~ In y (map fst X) -> h' y = h y) /\
    option_map size (h' x) = option_map size (h x) /\ there h' X /\ holds h' (Known x s t).

Definition all : index -> bool := fun _ => true.

Lemma flat_injective_all s : injective (live s all) (flat s).
Proof. intros l l' [B _] [B' _]. apply flat_injective; assumption. Qed.

Lemma fills_whole G X p x s t k v h : k <> Adding -> apart G X x = true -> before A k (Cell v false) ->
  fills G X p x s all (flat s) t k -> world h G X -> h x = Some (fresh (room s) v) ->
  exists h', run p h = Some h' /\ (forall y, y <> x -> ~ In y (map fst X) -> h' y = h y) /\
    option_map size (h' x) = option_map size (h x) /\ there h' X /\ holds h' (Known x s t).
Proof.
  intros K D B F W E.
  assert (Fd : forall l, inbox l s -> find h x (flat s l) = Some (Cell v false)).
  { intros l L. unfold find. rewrite E. cbn. rewrite (flat_in_room l s L). reflexivity. }
  destruct (F D (flat_injective_all s) h W) as (h' & R & [O S T _ V']).
  { intros l [L _]. exists (Cell v false). auto. }
  exists h'. split; [exact R|]. split; [exact O|]. split; [exact S|]. split; [apply T, W|].
  intros l L. cbn in L |- *. destruct (V' l _ (conj L eq_refl) (Fd l L) B) as (c & Fc & Ec).
  unfold load. rewrite Fc. cbn. rewrite Ec. destruct k; easy.
Qed.

Lemma makes_unset G X p x s t v : apart G X x = true -> fills G X p x s all (flat s) t Unset -> makes G X p x s t (Some v).
Proof. intros D F h W E. apply (fills_whole G X p x s t Unset v h); easy. Qed.

Lemma makes_zeroed G X p x s t : apart G X x = true -> fills G X p x s all (flat s) t Zeroed ->
  makes G X p x s t (Some (Some (zero A))).
Proof. intros D F h W E. apply (fills_whole G X p x s t Zeroed (Some (zero A)) h); easy. Qed.

Lemma makes_reset G X p x s t v : apart G X x = true -> makes G X p x s t (Some v) -> makes G X (Seq (Reset x v) p) x s t None.
Proof.
  intros D M h W E. destruct (h x) as [m|] eqn:Hx; [|easy]. injection E as E.
  set (h1 := put h x (Some (fresh (room s) v))).
  assert (N : forall y, y <> x -> h1 y = h y) by (intros y N; apply put_other, N).
  assert (W1 : world h1 G X).
  { apply world_put; assumption. }
  destruct (M h1 W1) as (h' & R & O & S & T & H); [apply put_same|].
  exists h'. cbn [run]. rewrite Hx. cbn [bind]. rewrite E. fold h1. split; [exact R|].
  split; [intros y Ny NX; rewrite O, N by assumption; reflexivity|]. split; [|split; assumption].
  rewrite S. unfold h1. rewrite put_same. cbn. rewrite E. reflexivity.
Qed.
End Nests.
Arguments makes {V} ints G X p x s t init.
