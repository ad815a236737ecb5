/// A file that one request reads.
struct OpenFile: ~Copyable {
  let descriptor: Descriptor
  let entity: FileEntity

  init(_ descriptor: consuming Descriptor, _ entity: FileEntity) {
    self.descriptor = descriptor
    self.entity = entity
  }
}
