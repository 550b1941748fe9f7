(** A format is a list of levels. What is stored of a tensor, read back, is the tensor: [decompress_compress].

    [compress] stores a tensor level by level, and [decompress] reads the tensor below a position, in the constructs of the core
    language. That they are adjoint follows from the laws of each level, whatever the levels are. *)
Require Import ZArith List Bool Lia.
Require Export Atl.Congruence Atl.formats.Level.
Import ListNotations.
Local Open Scope Z_scope.

Definition extents (F : list level) : shape := map (fun f => Z.of_nat (extent f)) F.

Section Format.
Context {V : Type} (A : algebra V).
Notation zeros := (scalar (zero A)).

Definition slice (t : tensor V) (c : nat) : tensor V := fun l => t (Z.of_nat c :: l).
Definition slice_of (n : nat) (t : tensor V) (s : option nat) : tensor V :=
  match s with Some c => if (c <? n)%nat then slice t c else zeros | None => zeros end.

(** How slices are told apart: anything that gives zero slices only the class 0, and equal ones only another class. *)
Definition classifier := shape -> nat -> tensor V -> list nat.
Definition classifies (classes : classifier) : Prop := forall s n t, length (classes s n t) = n /\
  forall i, (i < n)%nat -> (nth i (classes s n t) 0%nat = 0%nat -> teq s (slice t i) zeros) /\
    forall j, (j < n)%nat -> nth i (classes s n t) 0%nat = nth j (classes s n t) 0%nat -> teq s (slice t i) (slice t j).
Context (classes : classifier).

(** * What is stored: metadata for each level, and values *)
Fixpoint store (F : list level) : Type := match F with [] => list V | f :: F => (metadata f * store F)%type end.
Fixpoint nothing (F : list level) : store F := match F with [] => [] | f :: F => (empty f, nothing F) end.
Fixpoint append_all (F : list level) : store F -> store F -> store F :=
  match F with
  | [] => @app V
  | f :: F => fun a b => (append f (fst a) (fst b), append_all F (snd a) (snd b))
  end.
Fixpoint all_well_formed (F : list level) : store F -> Prop :=
  match F with [] => fun _ => True | f :: F => fun m => well_formed f (fst m) /\ all_well_formed F (snd m) end.

Fixpoint compress (F : list level) (t : tensor V) : store F :=
  match F with
  | [] => [t []]
  | f :: F => let (m, slices) := encode f (classes (extents F) (extent f) t) in
      (m, fold_right (append_all F) (nothing F) (map (fun s => compress F (slice_of (extent f) t s)) slices))
  end.
Definition compress_each (F : list level) (ts : list (tensor V)) : store F :=
  fold_right (append_all F) (nothing F) (map (compress F) ts).

(** Every level has space for what it is given. *)
Fixpoint storable (F : list level) (t : tensor V) : Prop :=
  match F with
  | [] => True
  | f :: F => fits f (classes (extents F) (extent f) t) /\
      Forall (fun s => storable F (slice_of (extent f) t s)) (snd (encode f (classes (extents F) (extent f) t)))
  end.

(** * What it means: the tensor below a position *)
Definition covers (r : range) (c : Z) : bool := (Z.of_nat (fst r) <=? c) && (c <? Z.of_nat (snd r)).
Fixpoint decompress (F : list level) : store F -> nat -> tensor V :=
  match F with
  | [] => fun values p => scalar (nth p values (zero A))
  | f :: F => fun m p =>
      gen (Z.of_nat (extent f)) (fun c =>
        let (lo, hi) := pos_bounds f (fst m) p in
        sum A (Z.of_nat (hi - lo)) (fun k => let q := (lo + Z.to_nat k)%nat in
          guard A (valid f (fst m) p q && covers (pos_crd f (fst m) p q) c) (decompress F (snd m) q)))
  end.

(** * Appending *)
Lemma append_all_monoid F : Forall lawful F ->
  all_well_formed F (nothing F) /\
  (forall a b, all_well_formed F a -> all_well_formed F b -> all_well_formed F (append_all F a b)) /\
  (forall a, all_well_formed F a -> append_all F (nothing F) a = a /\ append_all F a (nothing F) = a) /\
  (forall a b c, all_well_formed F a -> all_well_formed F b -> all_well_formed F c ->
    append_all F a (append_all F b c) = append_all F (append_all F a b) c).
Proof.
  induction 1 as [|f F [(E & C & U & S)] _ (E' & C' & U' & S')]; cbn.
  - repeat split; auto using app_nil_r, app_assoc.
  - repeat split; try tauto; try (apply C; tauto); try (apply C'; tauto).
    + destruct a as [a x]. cbn in *. rewrite (proj1 (U a ltac:(tauto))), (proj1 (U' x ltac:(tauto))). reflexivity.
    + destruct a as [a x]. cbn in *. rewrite (proj2 (U a ltac:(tauto))), (proj2 (U' x ltac:(tauto))). reflexivity.
    + intros a b c Wa Wb Wc. rewrite S, S' by tauto. reflexivity.
Qed.

Lemma compress_well_formed F : Forall lawful F -> forall t, storable F t -> all_well_formed F (compress F t).
Proof.
  induction 1 as [|f F H HF IH]; [cbn; auto|]. intros t [Fit Ss]. cbn.
  pose proof (encode_well_formed f H _ Fit) as W. unfold alone in W.
  destruct (encode f _) as [m slices]. cbn in *. split; [exact W|].
  destruct (append_all_monoid F HF) as (E & C & _). induction Ss as [|s ss Hs _ IHs]; cbn; [exact E|].
  apply C; [apply IH, Hs|exact IHs].
Qed.

Lemma compress_each_well_formed F ts : Forall lawful F -> Forall (storable F) ts -> all_well_formed F (compress_each F ts).
Proof.
  intros H. destruct (append_all_monoid F H) as (E & C & _). induction 1; [exact E|]. apply C; [|assumption].
  apply compress_well_formed; assumption.
Qed.

(** What is stored of two stacks of tensors, one after the other, is appended: parts of a tensor may be stored apart. *)
Theorem compress_each_app F xs ys : Forall lawful F -> Forall (storable F) xs -> Forall (storable F) ys ->
  compress_each F (xs ++ ys) = append_all F (compress_each F xs) (compress_each F ys).
Proof.
  intros H Hx Hy. destruct (append_all_monoid F H) as (E & C & U & S). pose proof (compress_each_well_formed F ys H Hy) as Wy.
  induction Hx as [|x xs Sx Hx IH]; [symmetry; apply U, Wy|].
  change (append_all F (compress F x) (compress_each F (xs ++ ys)) =
    append_all F (append_all F (compress F x) (compress_each F xs)) (compress_each F ys)).
  rewrite IH. apply S; auto using compress_well_formed, compress_each_well_formed.
Qed.

(** The slices that a level stores of a stack of tensors are what the level below is given. *)
Definition rows_of (f : level) (s : shape) (ts : list (tensor V)) : list (list nat * tensor V) :=
  map (fun t => (classes s (extent f) t, t)) ts.
Definition slices_of (f : level) (s : shape) (ts : list (tensor V)) : list (tensor V) :=
  map (fun x => slice_of (extent f) (fst x) (snd x)) (stored f (rows_of f s ts)).

Lemma slices_of_cons f s t ts : slices_of f s (t :: ts) =
  map (slice_of (extent f) t) (snd (encode f (classes s (extent f) t))) ++ slices_of f s ts.
Proof. unfold slices_of, stored. cbn. rewrite map_app, map_map. reflexivity. Qed.

Lemma storable_slices f F ts : Forall (storable (f :: F)) ts -> Forall (storable F) (slices_of f (extents F) ts).
Proof.
  induction 1 as [|t ts [_ S] _ IH]; [constructor|]. rewrite slices_of_cons. apply Forall_app. split; [|exact IH].
  apply Forall_map, S.
Qed.

Lemma compress_each_level f F ts : lawful f -> Forall lawful F -> Forall (storable (f :: F)) ts ->
  compress_each (f :: F) ts = (stack f (rows_of f (extents F) ts), compress_each F (slices_of f (extents F) ts)).
Proof.
  intros H HF. induction 1 as [|t ts [Fit S] Ss IH]; [reflexivity|].
  change (compress_each (f :: F) (t :: ts)) with (append_all (f :: F) (compress (f :: F) t) (compress_each (f :: F) ts)).
  rewrite IH, slices_of_cons, compress_each_app; [|exact HF|apply Forall_map, S|apply storable_slices, Ss].
  unfold stack, compress_each. cbn. destruct (encode f _). cbn. rewrite !map_map. unfold rows_of. rewrite map_map. reflexivity.
Qed.

(** * The theorem *)
Hypothesis ADD_0_L : law_add_0_l A.
Hypothesis ADD_0_R : law_add_0_r A.
Hypothesis classes_right : classifies classes.

(** Equal classes are equal slices. *)
Lemma slice_of_class s n t (x : option nat) c : (c < n)%nat ->
  class (classes s n t) x = nth c (classes s n t) 0%nat -> teq s (slice_of n t x) (slice t c).
Proof using classes_right.
  intros C E. destruct (classes_right s n t) as [Len K]. destruct x as [d|]; unfold slice_of, class in *.
  - destruct (Nat.ltb_spec d n) as [D|D]; [exact (proj2 (K d D) c C E)|].
    rewrite nth_overflow in E by lia. symmetry in E. intros l B. symmetry. exact (proj1 (K c C) E l B).
  - symmetry in E. intros l B. symmetry. exact (proj1 (K c C) E l B).
Qed.

(** At most one position below a parent has a coordinate, and [crd_pos] finds it. *)
Lemma decompress_at f F (m : store (f :: F)) p c l : lawful f -> well_formed f (fst m) -> (p < parents f (fst m))%nat ->
  decompress (f :: F) m p (Z.of_nat c :: l) =
    match crd_pos f (fst m) p c with
    | Some q => if valid f (fst m) p q then decompress F (snd m) q l else zero A
    | None => zero A
    end.
Proof using ADD_0_L ADD_0_R.
  intros H W P. cbn. unfold gen. cbn. destruct (pos_bounds f (fst m) p) as [lo hi] eqn:B. unfold sum. rewrite Nat2Z.id.
  assert (Z0 : forall k, (forall q, valid f (fst m) p q = true -> crd_pos f (fst m) p c = Some q -> k = (q - lo)%nat -> (k < hi - lo)%nat -> False) ->
    forall i, (i < hi - lo)%nat -> i = k ->
    guard A (valid f (fst m) p (lo + Z.to_nat (Z.of_nat i)) && covers (pos_crd f (fst m) p (lo + Z.to_nat (Z.of_nat i))) (Z.of_nat c))
      (decompress F (snd m) (lo + Z.to_nat (Z.of_nat i))) l = zero A).
  { intros k N i I ->. rewrite Nat2Z.id. unfold guard. destruct (valid f _ p _) eqn:Vd; [|reflexivity]. cbn.
    destruct (covers _ _) eqn:Cv; [exfalso|reflexivity]. unfold covers in Cv. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in Cv.
    apply (N (lo + k)%nat Vd); [|lia|exact I]. apply (pos_crd_inv f H _ _ _ _ W P Vd). unfold within. lia. }
  destruct (crd_pos f (fst m) p c) as [q|] eqn:G; [destruct (valid f (fst m) p q) eqn:Vq|].
  - pose proof (valid_bounds f H _ _ _ W P Vq) as Bq. rewrite B in Bq. unfold within in Bq. cbn in Bq.
    rewrite (bigsum_one A ADD_0_L ADD_0_R _ (q - lo)); [|lia|].
    + rewrite Nat2Z.id. replace (lo + (q - lo))%nat with q by lia. unfold guard. rewrite Vq.
      pose proof (crd_pos_inv f H _ _ _ _ W P G Vq) as I. unfold within in I.
      replace (covers _ _) with true; [reflexivity|]. symmetry. unfold covers. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. lia.
    + intros i I N. apply (Z0 i); auto. intros q' V' E ->. injection E as <-. congruence.
  - rewrite (bigsum_ext A _ _ (fun _ => zero A)); [apply bigsum_zero, ADD_0_L|]. intros i I. apply (Z0 i); auto.
    intros q' V' E. injection E as <-. congruence.
  - rewrite (bigsum_ext A _ _ (fun _ => zero A)); [apply bigsum_zero, ADD_0_L|]. intros i I. apply (Z0 i); auto. discriminate.
Qed.

Theorem decompress_compress_each F : Forall lawful F -> forall ts p t, Forall (storable F) ts -> nth_error ts p = Some t ->
  teq (extents F) (decompress F (compress_each F ts) p) t.
Proof using ADD_0_L ADD_0_R classes_right.
  induction 1 as [|f F H HF IH]; intros ts p t Ss P.
  - intros [|? ?] B; [|destruct B]. cbn. unfold scalar. revert p P. induction Ss as [|u us _ _ IHu]; intros [|p] P; try discriminate.
    + cbn in P. injection P as ->. reflexivity.
    + exact (IHu p P).
  - rewrite (compress_each_level f F ts H HF Ss). set (rows := rows_of f (extents F) ts).
    assert (K : in_stack f rows p (classes (extents F) (extent f) t) t).
    { split; [|exact (map_nth_error _ _ _ P)]. unfold rows, rows_of. apply Forall_map. eapply Forall_impl; [|exact Ss]. intros u [Fu _]. exact Fu. }
    destruct K as [Fits Pr]. destruct (stack_positions f _ rows H Fits) as [Ps Ns].
    assert (Pp : (p < parents f (stack f rows))%nat) by (rewrite Ps; apply nth_error_Some; rewrite Pr; discriminate).
    pose proof (stack_well_formed f _ rows H Fits) as W. pose proof (conj Fits Pr) as K. intros l B.
    destruct (inbox_cons _ _ _ B) as (i & l' & -> & I & B'). set (c := Z.to_nat i).
    assert (C : (c < extent f)%nat) by (unfold c; lia). replace i with (Z.of_nat c) by (unfold c; lia).
    rewrite decompress_at by assumption. cbn [fst snd]. change (t (Z.of_nat c :: l')) with (slice t c l').
    pose proof (app_get f H _ _ _ _ _ c K) as G. pose proof (crd_pos_app f H _ _ _ _ _ c K) as Lo.
    destruct (crd_pos f (stack f rows) p c) as [q|] eqn:Q.
    + destruct G as (s & Sq & Cl). pose proof (slice_of_class _ _ _ _ _ C Cl) as Eq.
      destruct (valid f (stack f rows) p q) eqn:Vq.
      * rewrite <- (Eq l' B'). apply (IH (slices_of f (extents F) ts) q); [apply storable_slices, Ss| |exact B'].
        unfold slices_of. fold rows. rewrite (map_nth_error _ _ _ Sq). reflexivity.
      * (* The position exists and holds a zero slice. *)
        destruct (crd_pos f (alone f _) 0 c) as [q'|] eqn:Q'; [|discriminate]. cbn in Lo. injection Lo as ->.
        assert (Fit : fits f (classes (extents F) (extent f) t)).
        { exact (proj1 (Forall_forall _ _) Fits _ (nth_error_In _ _ Pr)). }
        destruct (positions f H) as [One _]. destruct (One _ Fit) as [P1 _].
        assert (In0 : within (pos_bounds f (alone f (classes (extents F) (extent f) t)) 0) q').
        { apply (proj2 (pos_bound f H _ 0%nat (encode_well_formed f H _ Fit) ltac:(lia)) c q' Q'). }
        rewrite (valid_get f H _ _ _ _ _ _ K In0) in Vq.
        destruct (crd_pos_get f H _ _ _ Fit Q') as (_ & s' & Sq' & Cl').
        rewrite (invalid_pos_get f H _ _ _ Fit Sq' Vq) in Cl'. symmetry in Cl'. symmetry.
        destruct (classes_right (extents F) (extent f) t) as [_ Kc]. exact (proj1 (Kc c C) Cl' l' B').
    + specialize (G C). symmetry. destruct (classes_right (extents F) (extent f) t) as [_ Kc]. exact (proj1 (Kc c C) G l' B').
Qed.

(** The tensor that is stored in a format is the tensor. *)
Theorem decompress_compress F t : Forall lawful F -> storable F t -> teq (extents F) (decompress F (compress F t) 0) t.
Proof using ADD_0_L ADD_0_R classes_right.
  intros H S. pose proof (decompress_compress_each F H [t] 0%nat t (Forall_cons t S (Forall_nil _)) eq_refl) as D.
  unfold compress_each in D. cbn in D. destruct (append_all_monoid F H) as (_ & _ & U & _).
  rewrite (proj2 (U _ (compress_well_formed F H t S))) in D. exact D.
Qed.
End Format.
