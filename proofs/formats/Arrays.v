(** How rows lie in arrays: all of one length, or with an array of running totals. *)
Require Import Arith List Lia.
Require Export Atl.formats.Rows.
Import ListNotations.

Lemma skipn_app_left {E} (a b : list E) k : k <= length a -> skipn k (a ++ b) = skipn k a ++ b.
Proof. intros H. rewrite skipn_app. replace (k - length a) with 0 by lia. reflexivity. Qed.

Lemma skipn_app_right {E} (a b : list E) k : skipn (length a + k) (a ++ b) = skipn k b.
Proof. rewrite skipn_app, skipn_all2 by lia. cbn. f_equal. lia. Qed.

(** The part of an array of [n] entries from [k] on. *)
Definition part {E} (es : list E) (k n : nat) : list E := firstn n (skipn k es).

Lemma part_length {E} (es : list E) k n : k + n <= length es -> length (part es k n) = n.
Proof. intros H. unfold part. rewrite firstn_length, skipn_length. lia. Qed.

Lemma part_left {E} (a b : list E) k n : k + n <= length a -> part (a ++ b) k n = part a k n.
Proof.
  intros H. unfold part. rewrite skipn_app_left, firstn_app, skipn_length by lia.
  replace (n - (length a - k)) with 0 by lia. cbn. apply app_nil_r.
Qed.

Lemma part_right {E} (a b : list E) k n : part (a ++ b) (length a + k) n = part b k n.
Proof. unfold part. rewrite skipn_app_right. reflexivity. Qed.

Lemma part_all {E} (es : list E) : part es 0 (length es) = es.
Proof. apply firstn_all. Qed.

(** * Rows of which nothing is kept but their number *)
Section Plain.
Context (w : nat).

Definition plain : storage unit := {|
  arrays := nat;
  none := 0;
  single _ := 1;
  join := Nat.add;
  tidy _ := True;
  many n := n;
  total n := n * w;
  start _ p := p * w;
  stop _ p := p * w + w;
  row_at _ _ := tt
|}.

Lemma plain_laws : storage_laws plain (fun _ => True) (fun _ => w).
Proof.
  constructor; cbn; intros; repeat split; try nia. destruct r. reflexivity.
Qed.
End Plain.

(** * Rows of one length: the number of rows, and an array *)
Section Fixed.
Context {E : Type} (w : nat).

Definition fixed : storage (list E) := {|
  arrays := nat * list E;
  none := (0, []);
  single r := (1, r);
  join a b := (fst a + fst b, snd a ++ snd b);
  tidy a := length (snd a) = fst a * w;
  many := fst;
  total a := length (snd a);
  start a p := p * w;
  stop a p := p * w + w;
  row_at a p := part (snd a) (p * w) w
|}.

Lemma fixed_laws : storage_laws fixed (fun r => length r = w) (@length E).
Proof.
  constructor; cbn.
  - auto.
  - intros r H. repeat split; [lia|]. rewrite <- H. apply part_all.
  - intros a b Ta Tb. rewrite app_length, Ta, Tb. nia.
  - intros a b p Ta Tb P. split; [reflexivity|]. apply part_left. nia.
  - intros a b p Ta Tb P. rewrite Ta. split; [lia|]. rewrite Nat.mul_add_distr_r, <- Ta. apply part_right.
  - intros [n es] T. cbn. rewrite Nat.add_0_r, app_nil_r. auto.
  - intros a b c _ _ _. rewrite Nat.add_assoc, app_assoc. reflexivity.
  - intros a p T P. rewrite part_length by nia. nia.
Qed.
End Fixed.

(** * Rows of any length: an array of running totals that starts with 0, and an array *)
Section Segments.
Context {E : Type}.

Definition entry (pos : list nat) (p : nat) : nat := nth p pos 0.
Definition ends (pos : list nat) : nat := entry pos (length pos - 1).

(** The first total of what is appended is dropped: it is 0. *)
Definition join_totals (a b : list nat) : list nat := a ++ map (Nat.add (ends a)) (tl b).
Definition totals (pos : list nat) (n : nat) : Prop :=
  0 < length pos /\ entry pos 0 = 0 /\ (forall p, S p < length pos -> entry pos p <= entry pos (S p)) /\ ends pos = n.

Definition segments : storage (list E) := {|
  arrays := list nat * list E;
  none := ([0], []);
  single r := ([0; length r], r);
  join a b := (join_totals (fst a) (fst b), snd a ++ snd b);
  tidy a := totals (fst a) (length (snd a));
  many a := length (fst a) - 1;
  total a := length (snd a);
  start a p := entry (fst a) p;
  stop a p := entry (fst a) (S p);
  row_at a p := part (snd a) (entry (fst a) p) (entry (fst a) (S p) - entry (fst a) p)
|}.

Lemma join_totals_length a b : 0 < length b -> length (join_totals a b) = length a + (length b - 1).
Proof. intros H. unfold join_totals. rewrite app_length, map_length. destruct b; cbn in *; lia. Qed.

Lemma join_totals_left a b p : p < length a -> entry (join_totals a b) p = entry a p.
Proof. intros H. apply app_nth1, H. Qed.

Lemma join_totals_right a b p : 0 < length a -> entry b 0 = 0 -> p < length b ->
  entry (join_totals a b) (length a - 1 + p) = ends a + entry b p.
Proof.
  intros A B P. unfold entry in *. destruct p as [|p].
  - rewrite Nat.add_0_r, B, Nat.add_0_r. apply app_nth1. lia.
  - unfold join_totals. rewrite app_nth2 by lia. replace (length a - 1 + S p - length a) with p by lia.
    destruct b as [|z b]; cbn in *; [lia|]. rewrite (nth_indep _ 0 (ends a + 0)) by (rewrite map_length; lia). apply map_nth.
Qed.

Lemma totals_below pos n : totals pos n -> forall p q, p <= q -> q < length pos -> entry pos p <= entry pos q.
Proof.
  intros (_ & _ & M & _) p q H. induction H as [|q H IH]; intros Q; [lia|]. specialize (M q Q). specialize (IH ltac:(lia)). lia.
Qed.

Lemma join_totals_right' a b na nb p : totals a na -> totals b nb -> p < length b ->
  entry (join_totals a b) (length a - 1 + p) = na + entry b p.
Proof. intros (A & _ & _ & <-) (_ & B & _) P. apply join_totals_right; assumption. Qed.

Lemma join_totals_totals a b na nb : totals a na -> totals b nb -> totals (join_totals a b) (na + nb).
Proof.
  intros Ta Tb. pose proof Ta as (A & A0 & Am & Ae). pose proof Tb as (B & B0 & Bm & Be).
  pose proof (join_totals_length a b B) as L. unfold totals. rewrite L. split; [lia|split; [|split]].
  - rewrite join_totals_left by lia. exact A0.
  - intros p P. destruct (Nat.lt_ge_cases (S p) (length a)) as [H|H].
    + rewrite !join_totals_left by lia. apply Am, H.
    + replace p with (length a - 1 + (p - (length a - 1))) by lia.
      replace (S (length a - 1 + (p - (length a - 1)))) with (length a - 1 + S (p - (length a - 1))) by lia.
      rewrite !(join_totals_right' a b na nb) by (auto; lia). specialize (Bm (p - (length a - 1)) ltac:(lia)). lia.
  - unfold ends at 1. rewrite L. replace (length a + (length b - 1) - 1) with (length a - 1 + (length b - 1)) by lia.
    rewrite (join_totals_right' a b na nb) by (auto; lia). f_equal. exact Be.
Qed.

Lemma totals_below_end pos n p : totals pos n -> p < length pos -> entry pos p <= n.
Proof.
  intros T P. pose proof T as (L & _ & _ & <-). apply (totals_below pos _ T); lia.
Qed.

Lemma join_totals_none a n : totals a n -> join_totals [0] a = a /\ join_totals a [0] = a.
Proof.
  intros (L & Z & _). unfold join_totals. split; [|apply app_nil_r]. destruct a as [|z a]; cbn in *; [lia|].
  unfold entry in Z. cbn in Z. subst z. f_equal. rewrite <- (map_id a) at 2. apply map_ext. reflexivity.
Qed.

Lemma join_totals_assoc a b c na nb nc : totals a na -> totals b nb -> totals c nc ->
  join_totals a (join_totals b c) = join_totals (join_totals a b) c.
Proof.
  intros Ta Tb Tc. pose proof (join_totals_totals a b na nb Ta Tb) as (_ & _ & _ & Eab).
  pose proof Ta as (La & _ & _ & Ea). pose proof Tb as (Lb & _ & _ & Eb).
  change (a ++ map (Nat.add (ends a)) (tl (join_totals b c)) =
    join_totals a b ++ map (Nat.add (ends (join_totals a b))) (tl c)).
  rewrite Eab. unfold join_totals. rewrite Ea, Eb. destruct b as [|z b]; [cbn in Lb; lia|].
  cbn [tl app]. rewrite map_app, map_map, app_assoc. f_equal. apply map_ext. intros. lia.
Qed.

Lemma segments_laws : storage_laws segments (fun _ => True) (@length E).
Proof.
  constructor; cbn [arrays none single join tidy many total start stop row_at segments fst snd].
  - unfold totals, ends, entry. cbn. repeat split; lia.
  - intros r _. unfold totals, ends, entry. cbn. repeat split; try lia.
    + intros [|p] P; lia.
    + rewrite Nat.sub_0_r. apply part_all.
  - intros a b Ta Tb. rewrite app_length. split; [apply join_totals_totals; assumption|]. split; [|reflexivity].
    rewrite join_totals_length by apply Tb. destruct Ta as (? & _). destruct Tb as (? & _). lia.
  - intros a b p Ta Tb P. rewrite !join_totals_left by lia. split; [reflexivity|]. apply part_left.
    pose proof (totals_below _ _ Ta p (S p)). pose proof (totals_below_end _ _ (S p) Ta). lia.
  - intros a b p Ta Tb P. replace (S (length (fst a) - 1 + p)) with (length (fst a) - 1 + S p) by lia.
    rewrite !(join_totals_right' _ _ _ _ _ Ta Tb) by lia. split; [reflexivity|].
    replace (_ + entry (fst b) (S p) - _) with (entry (fst b) (S p) - entry (fst b) p) by lia. apply part_right.
  - intros [pos es] T. destruct (join_totals_none _ _ T) as [A B]. cbn in *. rewrite A, B, app_nil_r. auto.
  - intros a b c Ta Tb Tc. rewrite app_assoc. f_equal. eapply join_totals_assoc; eassumption.
  - intros a p T P. pose proof (totals_below _ _ T p (S p)). pose proof (totals_below_end _ _ (S p) T).
    rewrite part_length by lia. lia.
Qed.
End Segments.
