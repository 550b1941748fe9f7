(** States of iterations, which lie in memory from one round to the next, each in its home.

    [carries] says of statements which tensors are known before and after them, where they change the homes' buffers and scratch alone. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Rounds.
Import ListNotations.
Open Scope Z_scope.

(** [whole]: the state has all cells of the buffer, in row-major order. *)
Record home := Home { in_buffer : string; all_of : shape; cells_at : index -> Z; whole : bool }.

Section States.
Context {V : Type} {ints : arrays}.
Notation run := (run ints).
Notation gives := (gives ints).
Notation updates := (updates (ints := ints)).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (s : shape) (H : home) (Hs : list home).
Implicit Types (t u : tensor V) (h : memory V) (p q : statement V).

Definition buffers Hs : list string := map in_buffer Hs.

(** What stays: other buffers, sizes, and in the buffer [b] the cells of no state. *)
Record steady Hs b X h h' : Prop := {
  steady_others : forall y, ~ In y (buffers Hs) -> ~ In y (map fst X) -> h' y = h y;
  steady_sized : forall y, In y (buffers Hs) -> option_map size (h' y) = option_map size (h y);
  steady_kept : there h X -> there h' X;
  steady_frame : forall i, (forall H e, In H Hs -> in_buffer H = b -> inbox e (all_of H) -> cells_at H e <> i) -> find h' b i = find h b i
}.

Lemma steady_refl Hs b X h : steady Hs b X h h.
Proof. split; auto. Qed.

Lemma steady_trans Hs b X h h1 h2 : steady Hs b X h h1 -> steady Hs b X h1 h2 -> steady Hs b X h h2.
Proof.
  intros [O S K F] [O' S' K' F']. split.
  - intros y N M. rewrite O', O; auto.
  - intros y I. rewrite S', S; auto.
  - auto.
  - intros i N. rewrite F', F; auto.
Qed.

Definition rooms Hs h : Prop := forall H, In H Hs -> roomy h (in_buffer H) (all_of H) (cells_at H) /\
  (whole H = true -> option_map size (h (in_buffer H)) = Some (room (all_of H))).

Lemma rooms_steady Hs b X h h' : steady Hs b X h h' -> rooms Hs h -> rooms Hs h'.
Proof.
  intros S R H I. assert (E : option_map size (h' (in_buffer H)) = option_map size (h (in_buffer H))) by apply (steady_sized _ _ _ _ _ S), in_map, I.
  destruct (R H I) as [Ro W]. split; [exact (roomy_sized h h' _ _ _ E Ro)|]. rewrite E. exact W.
Qed.

Definition carries Hs b X G p G' : Prop :=
  forall h, world h G X -> rooms Hs h -> exists h', run p h = Some h' /\ Forall (holds h') G' /\ steady Hs b X h h'.

Lemma carries_seq Hs b X G G1 G2 p q : carries Hs b X G p G1 -> carries Hs b X G1 q G2 -> carries Hs b X G (Seq p q) G2.
Proof.
  intros P Q h [W T] R. destruct (P h (conj W T) R) as (h1 & R1 & W1 & S1).
  destruct (Q h1) as (h2 & R2 & W2 & S2); [split; [exact W1|exact (steady_kept _ _ _ _ _ S1 T)]|exact (rooms_steady _ _ _ _ _ S1 R)|].
  exists h2. cbn [Loops.run]. rewrite R1. split; [exact R2|]. split; [exact W2|]. exact (steady_trans _ _ _ _ _ _ S1 S2).
Qed.

Lemma carries_run Hs b X G G' p q : (forall h, run p h = run q h) -> carries Hs b X G q G' -> carries Hs b X G p G'.
Proof. intros E C h W R. rewrite E. exact (C h W R). Qed.

(** No more is known before, and no less after. *)
Lemma carries_known Hs b X G0 G G' G1 p : (forall h, Forall (holds h) G0 -> Forall (holds h) G) -> (forall h, Forall (holds h) G' -> Forall (holds h) G1) ->
  carries Hs b X G p G' -> carries Hs b X G0 p G1.
Proof.
  intros A B C h [W T] R. destruct (C h (conj (A h W) T) R) as (h' & R' & W' & S). exists h'. auto.
Qed.

Lemma carries_skip Hs b X G : carries Hs b X G Skip G.
Proof. intros h [W T] R. exists h. split; [reflexivity|]. split; [exact W|apply steady_refl]. Qed.

(** A state, that is updated in its home: what is known in other buffers still is. *)
Lemma carries_update Hs b X G p H changed wanted t G' : In H Hs -> (forall y, In y (map fst X) -> ~ In y (buffers Hs)) -> ~ In b (map fst X) ->
  clear G X (in_buffer H) -> injective (fun e => inbox e (all_of H)) (cells_at H) -> housed G (in_buffer H) (all_of H) (cells_at H) ->
  updates G X p (in_buffer H) (all_of H) (cells_at H) changed wanted [] (all_of H) t ->
  (forall z, In z G' -> (In z G /\ name z <> in_buffer H) \/
    (name z = in_buffer H /\ dims z = all_of H /\ cell_at z = cells_at H /\ held z = t /\
      forall e, inbox e (all_of H) -> present z e = true -> wanted e = true)) ->
  carries Hs b X G p G'.
Proof.
  intros I Dx Bx C J Ho U N h W R. destruct (U C J Ho (fun l B => B) h W (proj1 (R H I))) as (h' & Rn & [O S K F L]).
  exists h'. split; [exact Rn|]. split.
  - rewrite Forall_forall. intros z Iz. destruct (N z Iz) as [[Iz' Nz]|(Nz & Dz & Cz & Hz & Pz)].
    + destruct W as [W _]. rewrite Forall_forall in W. apply (holds_eq h); [|exact (W z Iz')]. apply O; [exact Nz|].
      intros Iy. exact (proj2 (C _ Iy) z Iz' eq_refl).
    + intros e Be Pe. rewrite Nz, Cz, Hz. rewrite Dz in Be. apply (L e Be). exact (Pz e Be Pe).
  - assert (Nb : forall y, ~ In y (buffers Hs) -> y <> in_buffer H) by (intros y Ny ->; apply Ny, in_map, I).
    split.
    + intros y Ny Nx. apply O; [apply Nb, Ny|exact Nx].
    + intros y Iy. destruct (string_dec y (in_buffer H)) as [->|Ny]; [exact S|]. rewrite O; [reflexivity|exact Ny|]. intros Iy'. exact (Dx y Iy' Iy).
    + exact K.
    + intros i Ni. destruct (string_dec b (in_buffer H)) as [E|Nb'].
      * rewrite E. apply F. intros l Bl _. apply (Ni H l I (eq_sym E) Bl).
      * apply find_eq, O; assumption.
Qed.

(** A new lifetime of a home that is a whole buffer. *)
Lemma carries_makes Hs b X G1 G p H t G' : In H Hs -> in_buffer H <> b -> whole H = true -> cells_at H = flat (all_of H) ->
  (forall y, In y (map fst X) -> ~ In y (buffers Hs)) -> ~ In b (map fst X) -> clear G1 X (in_buffer H) ->
  (forall z, In z G1 -> In z G /\ name z <> in_buffer H) ->
  makes ints G1 X p (in_buffer H) (all_of H) t None ->
  (forall z, In z G' -> In z G1 \/ (name z = in_buffer H /\ dims z = all_of H /\ cell_at z = cells_at H /\ held z = t)) ->
  carries Hs b X G p G'.
Proof.
  intros I Nb Wh Fl Dx Bx C N1 M N h [W T] R. rewrite Forall_forall in W.
  destruct (M h) as (h' & Rn & O & S & K & L).
  - split; [|exact T]. rewrite Forall_forall. intros z Iz. apply W, N1, Iz.
  - exact (proj2 (R H I) Wh).
  - exists h'. split; [exact Rn|]. split.
    + rewrite Forall_forall. intros z Iz. destruct (N z Iz) as [Iz'|(Nz & Dz & Cz & Hz)].
      * destruct (N1 z Iz') as [Iz2 Nz]. apply (holds_eq h); [|exact (W z Iz2)]. apply O; [exact Nz|].
        intros Iy. exact (proj2 (C _ Iy) z Iz' eq_refl).
      * intros e Be _. rewrite Nz, Cz, Hz, Fl. rewrite Dz in Be. exact (L e Be eq_refl).
    + split.
      * intros y Ny Nx. apply O; [intros ->; apply Ny, in_map, I|exact Nx].
      * intros y Iy. destruct (string_dec y (in_buffer H)) as [->|Ny]; [exact S|]. rewrite O; [reflexivity|exact Ny|]. intros Iy'. exact (Dx y Iy' Iy).
      * intros _. exact K.
      * intros i _. apply find_eq, O; auto.
Qed.

(** * Loops *)
Lemma carries_iterate Hs b X (Inv : nat -> list (known V)) (f : nat -> statement V) n :
  (forall k, (k < n)%nat -> carries Hs b X (Inv k) (f k) (Inv (S k))) ->
  forall h, world h (Inv 0%nat) X -> rooms Hs h ->
  exists h', iterate n (fun k => run (f k)) h = Some h' /\ Forall (holds h') (Inv n) /\ steady Hs b X h h'.
Proof.
  induction n as [|n IH]; intros C h W R.
  - exists h. split; [reflexivity|]. split; [apply W|apply steady_refl].
  - destruct IH with (h := h) as (h1 & R1 & W1 & S1); auto.
    destruct (C n ltac:(lia) h1) as (h2 & R2 & W2 & S2).
    + split; [exact W1|]. apply (steady_kept _ _ _ _ _ S1), W.
    + exact (rooms_steady _ _ _ _ _ S1 R).
    + exists h2. split; [cbn [iterate]; rewrite R1; exact R2|]. split; [exact W2|]. exact (steady_trans _ _ _ _ _ _ S1 S2).
Qed.

Lemma carries_for Hs b X (Inv : nat -> list (known V)) lo hi f (n : Z) : gives lo 0 -> gives hi n ->
  (forall i, 0 <= i < n -> carries Hs b X (Inv (Z.to_nat i)) (f i) (Inv (S (Z.to_nat i)))) ->
  carries Hs b X (Inv 0%nat) (For lo hi f) (Inv (Z.to_nat n)).
Proof.
  intros L U C h W R. cbn [Loops.run]. rewrite L. cbn [bind]. rewrite U. cbn [bind]. rewrite Z.sub_0_r.
  apply (carries_iterate Hs b X Inv (fun k => f (0 + Z.of_nat k))); [|exact W|exact R].
  intros k Lk. specialize (C (Z.of_nat k) ltac:(lia)). rewrite Nat2Z.id in C. exact C.
Qed.

(** * What they are for *)

(** The homes but that of the goal are scratch. *)
Definition scratch_homes Hs X0 X b : Prop :=
  (forall h, there h X0 -> there h X /\ forall H, In H Hs -> in_buffer H <> b -> whole H = true /\ cells_at H = flat (all_of H) /\
    option_map size (h (in_buffer H)) = Some (room (all_of H))) /\
  (forall y, In y (map fst X0) -> In y (map fst X) \/ In y (buffers Hs)) /\ (forall y, In y (map fst X) -> In y (map fst X0)) /\
  (forall H, In H Hs -> In (in_buffer H) (map fst X0) \/ in_buffer H = b).

Lemma scratch_rooms Hs X0 X b h : scratch_homes Hs X0 X b -> there h X0 ->
  (forall H, In H Hs -> in_buffer H = b -> whole H = false /\ roomy h b (all_of H) (cells_at H)) -> rooms Hs h.
Proof.
  intros (A & _) T B H I. destruct (string_dec (in_buffer H) b) as [E|N].
  - destruct (B H I E) as [F Ro]. rewrite E. split; [exact Ro|congruence].
  - destruct (A h T) as [_ A']. destruct (A' H I N) as (Wh & Fl & Sz). split; [|intros _; exact Sz].
    intros e Be. rewrite Fl. unfold find. destruct (h (in_buffer H)) as [m|]; [|discriminate]. cbn in Sz |- *. injection Sz as ->.
    rewrite (flat_in_room e _ Be). eauto.
Qed.

Lemma scratch_kept Hs X0 X b h h' : scratch_homes Hs X0 X b -> ~ In b (map fst X0) -> steady Hs b X h h' -> there h X0 -> there h' X0.
Proof.
  intros (A & B & _) Nb St T. pose proof (steady_kept _ _ _ _ _ St (proj1 (A h T))) as K.
  unfold there in *. rewrite Forall_forall in *. intros x I. rewrite <- (T x I).
  destruct (in_dec string_dec (fst x) (buffers Hs)) as [J|J]; [apply (steady_sized _ _ _ _ _ St), J|].
  destruct (B (fst x) (in_map fst _ _ I)) as [Y|Y]; [|contradiction].
  apply in_map_iff in Y as (y & E & Y). rewrite <- E. rewrite (K y Y). destruct (A h) as [T2 _].
  { unfold there. rewrite Forall_forall. exact T. }
  unfold there in T2. rewrite Forall_forall in T2. symmetry. exact (T2 y Y).
Qed.

Section Goal.
Context (A : algebra V) Hs b X0 X G p G' (s : shape) (C : index -> bool) (place : index -> Z) t (k : kind).
Context (Sc : scratch_homes Hs X0 X b) (Carried : apart G X0 b = true -> injective (live s C) place -> carries Hs b X G p G').

(** The states' cells hold the value, one of them where it goes. *)
Lemma fills_state : k <> Adding -> C = all ->
  (forall H, In H Hs -> in_buffer H = b -> whole H = false /\ all_of H = s /\ cells_at H = place) ->
  (forall h, Forall (holds h) G' -> forall l, inbox l s -> load h b (place l) = Some (t l)) ->
  fills ints A G X0 p b s C place t k.
Proof using Sc Carried.
  intros K -> Own Z Ap J h [W T] Bf.
  assert (Nx : ~ In b (map fst X0)).
  { intros Ib. exact (proj2 (apart_names G X0 b Ap) Ib). }
  destruct (Carried Ap J h) as (h' & R & W' & St).
  - split; [exact W|]. apply (proj1 Sc h T).
  - apply (scratch_rooms Hs X0 X b h Sc T). intros H IH E. destruct (Own H IH E) as (Wh & <- & ->). split; [exact Wh|].
    intros e Be. destruct (Bf e (conj Be eq_refl)) as (c & F & _). eauto.
  - exists h'. split; [exact R|]. split.
    + intros y Ny Nx'. apply (steady_others _ _ _ _ _ St).
      * intros Iy. unfold buffers in Iy. apply in_map_iff in Iy as (H & <- & IH). destruct Sc as (_ & _ & _ & Sx).
        destruct (Sx H IH); contradiction.
      * intros Iy. apply Nx'. destruct Sc as (_ & _ & Sx & _). auto.
    + destruct (in_dec string_dec b (buffers Hs)) as [Ib|Ib]; [exact (steady_sized _ _ _ _ _ St b Ib)|].
      rewrite (steady_others _ _ _ _ _ St); [reflexivity|exact Ib|]. intros Iy. apply Nx. destruct Sc as (_ & _ & Sx & _). auto.
    + intros _. exact (scratch_kept Hs X0 X b h h' Sc Nx St T).
    + intros i F. apply (steady_frame _ _ _ _ _ St). intros H e IH E Be. destruct (Own H IH E) as (_ & <- & ->). apply F. split; [exact Be|reflexivity].
    + intros l c [Bl _] Fd B. specialize (Z h' W' l Bl). unfold load in Z. destruct (find h' b (place l)) as [c'|]; [|discriminate].
      exists c'. split; [reflexivity|]. cbn in Z. rewrite Z. destruct k; easy.
Qed.

(** The value is made of the states. *)
Lemma fills_of_states q G2 : (forall H, In H Hs -> in_buffer H <> b) -> (forall h, Forall (holds h) G' -> Forall (holds h) G2) ->
  (apart G X0 b = true -> apart G2 X b = true) -> fills ints A G2 X q b s C place t k -> fills ints A G X0 (Seq p q) b s C place t k.
Proof using Sc Carried.
  intros No Kn Ap2 F Ap J h [W T] Bf.
  assert (Nx : ~ In b (map fst X0)).
  { intros Ib. exact (proj2 (apart_names G X0 b Ap) Ib). }
  assert (NbX : ~ In b (map fst X)). { intros Iy. apply Nx. destruct Sc as (_ & _ & Sx & _). auto. }
  assert (NbH : ~ In b (buffers Hs)). { intros Ib. apply in_map_iff in Ib as (H & E & I). exact (No H I E). }
  destruct (Carried Ap J h) as (h1 & R1 & W1 & St).
  - split; [exact W|]. apply (proj1 Sc h T).
  - apply (scratch_rooms Hs X0 X b h Sc T). intros H IH E. destruct (No H IH E).
  - assert (Eb : h1 b = h b) by (apply (steady_others _ _ _ _ _ St); assumption).
    assert (T1 : there h1 X) by (apply (steady_kept _ _ _ _ _ St); apply (proj1 Sc h T)).
    destruct (F (Ap2 Ap) J h1) as (h2 & R2 & [O S K Fr V']).
    + split; [apply Kn, W1|exact T1].
    + intros l L. destruct (Bf l L) as (c & Fd & B). exists c. rewrite (find_eq h1 h) by exact Eb. auto.
    + exists h2. split; [cbn [Loops.run]; rewrite R1; exact R2|].
      assert (Fx : forall y, y <> b -> ~ In y (map fst X0) -> ~ In y (map fst X) /\ ~ In y (buffers Hs)).
      { intros y Ny Nx'. destruct Sc as (_ & _ & Sx & Sh). split; [auto|]. intros Iy. apply in_map_iff in Iy as (H & <- & IH).
        destruct (Sh H IH); contradiction. }
      split.
      * intros y Ny Nx'. destruct (Fx y Ny Nx') as [Y1 Y2]. rewrite O by auto. apply (steady_others _ _ _ _ _ St); auto.
      * rewrite S, Eb. reflexivity.
      * intros T0. assert (T2 : there h1 X0) by exact (scratch_kept Hs X0 X b h h1 Sc Nx St T0).
        unfold there in *. rewrite Forall_forall in *. intros x I. rewrite <- (T2 x I).
        destruct (in_dec string_dec (fst x) (map fst X)) as [J1|J1].
        -- apply in_map_iff in J1 as (y & E & Y). rewrite <- E. rewrite (proj1 (Forall_forall _ _) (K T1) y Y), (T1 y Y). reflexivity.
        -- rewrite O; [reflexivity| |exact J1]. intros E. apply Nx. rewrite <- E. apply in_map, I.
      * intros i N. rewrite Fr by exact N. apply find_eq, Eb.
      * intros l c L Fd B. apply (V' l c L); [|exact B]. rewrite (find_eq h1 h) by exact Eb. exact Fd.
Qed.
End Goal.
End States.
