import Core
import Posix
import WebSocket

extension Session {
  /// Lets a device in that shows what it must, or ends the session.
  func greet(_ hello: HelloFrame) {
    let shown = admission.shownTokens + [hello.token?.exposed].compactMap(\.self)
    let id = hello.device.id
    guard !id.isEmpty, id.utf8.count <= MediaFrame.maxIDByteCount else {
      return refuse("the hello names no device")
    }
    guard hall.tokens.admits(device: id, showing: shown) else { return refuse("the token is not right") }
    device = hello.device
    let unheard = hall.enter(number, device: id)
    log("is \(hello.device.name), \(hello.device.platform) \(hello.device.appVersion)")
    if meet(.hello) { return }
    phase = .open
    queue.append(.ready(ServerFrame.ready(readyFrame).encoded), due: replyDue)
    reply(.avatar(.idle))
    for announcement in unheard { queue.append(.media(announcement), due: replyDue) }
  }

  private var readyFrame: ReadyFrame {
    guard !hall.options.speaksFloorOnly else { return ReadyFrame() }
    return ReadyFrame(
      media: MediaExtension(
        partByteCount: hall.options.partByteCount, maxByteCount: limits.mediaByteCount, resumes: true))
  }

  /// Answers what an admitted device says.
  func answer(_ frame: ClientFrame) {
    switch frame {
    case .hello: log("says hello again")
    case .text(let text): answer(text.text)
    case .audio(let audio): take(audio)
    case .media(let media): take(media)
    case .prompt(let answer): take(answer)
    case .mediaStatus(let id): tellStatus(of: id)
    }
  }

  /// Says a text back, as an agent would: it thinks, speaks and rests.
  func answer(_ text: String) {
    if text.hasPrefix("/") { return obey(text) }
    guard hall.options.echoes else { return }
    say(text)
  }

  func say(_ text: String) {
    reply(.typing(isOn: true))
    reply(.avatar(.thinking))
    reply(.avatar(.speaking))
    reply(.message(MessageFrame(id: Announcement.newID(), text: text, isFinal: true)))
    reply(.typing(isOn: false))
    reply(.avatar(.idle))
  }

  private func take(_ answer: PromptAnswer) {
    guard let (card, _) = cards[answer.promptID] else {
      return complain("unknown_prompt", "no card of this id waits for an answer")
    }
    guard card.options.contains(where: { $0.id == answer.optionID }) else {
      return complain("unknown_option", "the card has no such option")
    }
    cards[card.id] = nil
    reply(.promptDone(PromptDoneFrame(id: card.id, optionID: answer.optionID)))
    say("you chose \(answer.optionID)" + (answer.text.map { ": \($0)" } ?? ""))
  }
}

// MARK: Media

extension Session {
  /// A recording is a voice medium of one part.
  private func take(_ audio: AudioFrame) {
    take(MediaFrame(id: audio.id, kind: .voice, mime: "audio/\(audio.format.rawValue)", caption: audio.text))
  }

  private func take(_ media: MediaFrame) {
    guard !rejectedIDs.contains(media.id) else { return }
    guard media.hasData else { return reject(MediaRejection(media.id, .empty)) }
    guard decoder.finish() else { return reject(MediaRejection(media.id, .badData)) }
    do throws(PartRefusal) {
      let outcome = try hall.shelf.take(
        media, decoder.bytes, from: device?.id ?? "", session: number, now: Clocks.monotonic())
      partsTaken += 1
      if meet(.parts(partsTaken)) {
        // What is complete is announced all the same: the other devices are not part of the drill.
        if case .complete(let completed) = outcome, !completed.isRepeated { announce(completed) }
        return
      }
      tell(outcome, of: media)
    } catch {
      switch error {
      case .media(let rejection): reject(rejection)
      case .storage(let cause): reject(id: media.id, "storage", "cannot store", cause)
      }
    }
  }

  /// Tells that a medium is not taken.
  func reject(_ rejection: MediaRejection) {
    reject(id: rejection.id, "media_rejected", "cannot take", rejection.message)
  }

  /// What follows of it on this connection is passed over: its parts may be on their way already.
  private func reject(id: String?, _ code: String, _ verb: String, _ cause: String) {
    complain(code, "\(verb) \(id.map { "media \($0.prefix(80))" } ?? "a media"): \(cause)")
    guard let id else { return }
    hall.shelf.discard(MediaKey(device: device?.id ?? "", id: id))
    if rejectedIDs.count < Self.maxRejectedIDCount { rejectedIDs.insert(id) }
  }

  private static let maxRejectedIDCount = 256

  private func tell(_ outcome: PartOutcome, of media: MediaFrame) {
    switch outcome {
    case .held, .repeated: break
    case .restarted: log("begins anew with part \(media.part) of \(media.parts)")
    case .complete(let completed):
      prove(completed, id: media.id)
      if !completed.isRepeated { announce(completed) }
    }
  }

  private func announce(_ completed: CompletedMedia) {
    log("stored \(completed.media.name), \(completed.media.byteCount) bytes, sha256 \(completed.sha256)")
    hall.announce(completed.media, from: device?.id ?? "")
  }

  private func prove(_ completed: CompletedMedia, id: String) {
    guard !hall.options.speaksFloorOnly else { return }
    reply(.mediaDone(MediaDoneFrame(id: id, byteCount: completed.media.byteCount, sha256: completed.sha256)))
  }

  /// The parts that are held; of a complete medium the proof too, which may have been lost with a connection.
  private func tellStatus(of id: String) {
    guard !hall.options.speaksFloorOnly else { return log("ignores media_status: the floor has none") }
    let key = MediaKey(device: device?.id ?? "", id: id)
    if let (parts, held) = hall.shelf.heldParts(key) {
      reply(.mediaStatus(MediaStatusFrame(id: id, parts: parts, held: held)))
    } else if let completed = hall.shelf.completed(key) {
      let held = RangeSet(ByteRange(0, Int64(completed.parts)))
      reply(.mediaStatus(MediaStatusFrame(id: id, parts: completed.parts, held: held)))
      prove(completed, id: id)
    } else {
      reply(.mediaStatus(MediaStatusFrame(id: id, parts: 0, held: RangeSet())))
    }
  }
}
